.generation v0.1
.version 0.1.0.0
.grid hex
.radius 1
.players 1
.compress no
; two digits a tile, item and kind, ring by ring from the centre
.tiles 06
.tiles 060606060606
HOMOGENOUS +10 0,1 ; t=10 len=16
  PLAYER 1/0 RTT 120 = 00010180
  PLAYER 1/0 TIMEOUT 700 = 000102c0
  PLAYER 1/0 RTT 120
  DIGITS 2/1,-1 = 8001ff20
