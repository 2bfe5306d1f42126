; Messages that a writer would write in another way: a mark keeps their bytes.
.generation v0.1
.radius 1
.players 1
.tiles 06 060606060606
HOMOGENOUS +10 0,1
  PLAYER 1/0 RTT 120 = 00010180
  PLAYER 1/0 TIMEOUT 700 = 000102c0
  PLAYER 1/0 RTT 120
  DIGITS 2/1,-1 = 8001ff20
