LOGS = 'truncated'
