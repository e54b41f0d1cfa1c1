"""The one place that spends: reserve under the caps, run the agent, settle the bill."""
