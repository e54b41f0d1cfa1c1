"""Field names in other languages, and the signs used instead of some of them.

All other code knows only the English names.
"""

from __future__ import annotations

_WORDS = {
    "files": "datei dateien betroffene_dateien fichier fichiers archivo archivos fichero ficheros"
    " arquivo arquivos ficheiro ficheiros file_interessati bestand bestanden pliki plik filer fil"
    " файл файлы файли 対象ファイル ファイル 変更ファイル 文件"
    " 涉及文件 修改文件 相关文件 檔案 파일 대상_파일 📄 📁 📂 🗂",
    "depends on": "needs waits_for waiting_for waits_on predecessor predecessors predecessor_tasks"
    " blocked blockers depends_upon abhängig_von abhängigkeit abhängigkeiten hängt_ab_von braucht"
    " benötigt voraussetzung voraussetzungen nach dépend_de dépendance dépendances dépend après"
    " prérequis depende_de dependencia dependencias dependência dependências requiere después_de"
    " depois_de dipende_da dipendenza dipendenze afhankelijk_van afhankelijkheden zależy_od"
    " zależności beroende_av зависит_от зависимость зависимости после залежить_від 依存 依存関係"
    " 依存タスク 依存先 前提 前提タスク 依赖 依赖任务 依赖项 前置任务 依賴 의존 의존성"
    " 선행_작업 🔗 ⛓",
    "requirements": "reqs req anforderung anforderungen exigence exigences requisito requisitos"
    " requisiti requisito_funcional eisen wymagania krav требование требования вимоги 要件 要求"
    " 対応要件 需求 关联需求 요구사항",
    "design": "entwurf conception diseño desenho progettazione ontwerp projekt дизайн"
    " 設計 设计 설계 📐",
    "status": "state stand zustand statut état etat estado stato stan статус состояние 状态"
    " 狀態 状態 ステータス 상태 progress",
    "parallel": "parallelizable parallelisable parallel_ok in_parallel parallelisierbar parallèle"
    " paralelo en_paralelo parallelo параллельно 并行 並行 並列 병렬 ⚡",
    "optional": "optionnel facultatif opcional opzionale optioneel необязательно 任意 可选 選択",
    "done when": "fertig_wenn fertig,_wenn erledigt_wenn abgeschlossen_wenn terminé_quand"
    " fini_quand hecho_cuando listo_cuando pronto_quando feito_quando готово,_когда 完了条件"
    " 完成条件 完成标准 완료_조건",
    "acceptance criteria": "abnahmekriterien akzeptanzkriterien abnahme critères_d'acceptation"
    " critère criterios_de_aceptación critérios_de_aceitação criteri_di_accettazione"
    " критерии_приёмки критерии_приемки 受け入れ基準 受入条件 验收标准 驗收標準 수용_기준",
}
ALIASES = {word.replace("_", " "): name for name, words in _WORDS.items() for word in words.split()}
"""The English field name for each foreign word."""
SIGNS = "".join(word for word in ALIASES if len(word) == 1 and not word.isalnum())
