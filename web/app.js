// The page of the workbench.
