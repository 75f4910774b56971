PLAN = "do not show"
