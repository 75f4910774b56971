if x = 1 then
  y
endif
