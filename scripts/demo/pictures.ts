/** The previews of the demo's worlds, drawn in code. */
import { type Colour, type Drawing, fromHsl } from '../drawing.ts'

/** A castle on a hill before a low sun. */
export const castle: Drawing = (x, y) => {
  const hill = 0.78 + 0.9 * (x - 0.5) ** 2
  if (y > hill) return fromHsl(250, 0.3, 0.1 + 0.05 * y)
  const wall = inTower(x, 0.36, 0.64, y, 0.58)
  const towers = [
    inTower(x, 0.33, 0.41, y, 0.42),
    inTower(x, 0.59, 0.67, y, 0.42),
    inTower(x, 0.46, 0.54, y, 0.3),
  ]
  const isGate =
    Math.abs(x - 0.5) < 0.022 && y > 0.7 - Math.sqrt(Math.max(0, 0.022 ** 2 - (x - 0.5) ** 2)) * 1.8
  const isWindow = [0.37, 0.5, 0.63].some((at) => Math.abs(x - at) < 0.006) && y > 0.5 && y < 0.54
  if (isGate || isWindow) return [255, 196, 92]
  if (wall || towers.includes(true)) return fromHsl(255, 0.3, 0.17)
  const ridge = 0.72 + 0.05 * Math.sin(x * 9) + 0.02 * Math.sin(x * 31)
  if (y > ridge) return fromHsl(275, 0.35, 0.3)
  if (distance(x, y, 0.76, 0.56) < 0.09) return [255, 238, 190]
  return fromHsl(290 + 100 * y, 0.65, 0.3 + 0.42 * y)
}

/** Whether a point is in a tower from `left` to `right`, whose merlons stand on `top`. */
function inTower(x: number, left: number, right: number, y: number, top: number): boolean {
  const isMerlon = Math.floor((x - left) / 0.0115) % 2 === 0
  return x > left && x < right && y > top - (isMerlon ? 0.03 : 0)
}

/** A hedge maze from above, with a fountain in its middle. */
export const maze: Drawing = (x, y) => {
  const [column, row] = [Math.floor(x * COLUMNS), Math.floor(y * ROWS)]
  const toMiddle = distance(x, y, 0.5, 0.5)
  if (toMiddle < 0.05) return fromHsl(195, 0.6, 0.5 + 0.25 * Math.sin(toMiddle * 400) ** 2)
  if (toMiddle < 0.11) return [222, 206, 170]
  const isHedge = isWall(column, row)
  const casts = !isHedge && (isWall(column - 1, row) || isWall(column, row - 1))
  if (!isHedge)
    return casts && (x * COLUMNS - column < 0.35 || y * ROWS - row < 0.35) ? [176, 158, 122] : [222, 206, 170]
  const leaf = (Math.floor(x * 128) * 7 + Math.floor(y * 72) * 13) % 5
  return fromHsl(112 + 4 * leaf, 0.42, 0.22 + 0.025 * leaf)
}

const [COLUMNS, ROWS] = [31, 17]

/**
 * Whether a place of the maze has a hedge. Rooms are at odd columns and rows. From each one a path leads to the right or down, so every
 * room is connected with the last one.
 */
function isWall(column: number, row: number): boolean {
  if (column <= 0 || row <= 0 || column >= COLUMNS - 1 || row >= ROWS - 1) return true
  if (row % 2 === 1) return column % 2 === 0 && !leadsRight(column - 1, row)
  return column % 2 === 0 || leadsRight(column, row - 1)
}

function leadsRight(column: number, row: number): boolean {
  if (row === ROWS - 2) return true
  return column !== COLUMNS - 2 && (Math.sin(column * 12.9898 + row * 78.233) * 43_758.5453) % 1 > 0
}

/** Islands that float among clouds. */
export const islands: Drawing = (x, y) => {
  for (const [at, height, half, hue] of [
    [0.28, 0.52, 0.2, 95],
    [0.7, 0.36, 0.14, 120],
    [0.82, 0.74, 0.1, 80],
  ] as const) {
    const side = Math.abs(x - at) / half
    if (side > 1) continue
    const grass = height - 0.05 * Math.sqrt(1 - side ** 2) - 0.012 * Math.sin(x * 60)
    const bottom = height + 1.5 * half * (1 - side) ** 0.8 + 0.02 * Math.sin(x * 90)
    if (y > grass && y < height + 0.02) return fromHsl(hue, 0.5, 0.42)
    if (y >= height && y < bottom) return fromHsl(28, 0.32, 0.42 - 0.5 * (y - height))
  }
  const isCloud = clouds.some(([at, height, size]) =>
    [-1, 0, 1].some(
      (part) => y < height && distance(x, y, at + part * size, height) < size * (1.1 - 0.3 * part ** 2),
    ),
  )
  return isCloud ? mix(sky(y), [255, 255, 255], 0.75) : sky(y)
}

/** Where the middle of each cloud is, and its size. */
const clouds = [
  [0.12, 0.2, 0.05],
  [0.46, 0.28, 0.035],
  [0.9, 0.2, 0.045],
  [0.55, 0.72, 0.06],
  [0.16, 0.92, 0.05],
  [0.95, 0.62, 0.03],
] as const

const sky = (y: number) => fromHsl(205 - 15 * y, 0.7, 0.5 + 0.35 * y)

/** The distance of two points in a picture of 16 to 9, in its width. */
function distance(x: number, y: number, toX: number, toY: number): number {
  return Math.hypot(x - toX, ((y - toY) * 9) / 16)
}

function mix(one: Colour, other: Colour, share: number): Colour {
  const part = (a: number, b: number) => Math.round(a + (b - a) * share)
  return [part(one[0], other[0]), part(one[1], other[1]), part(one[2], other[2])]
}
