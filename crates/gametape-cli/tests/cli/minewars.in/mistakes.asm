.generation current
.radius 0
.tiles 06
HOMOGENOUS +5 0
  OWNR 1 0,0
  OWNER 1 0,200
