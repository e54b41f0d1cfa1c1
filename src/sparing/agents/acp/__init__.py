"""Agents that speak the Agent Client Protocol, as backends; opencode and Gemini CLI are known."""
