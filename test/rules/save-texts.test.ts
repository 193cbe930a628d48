import { expect, it } from 'vitest'
import { rejectText } from '../../client/src/saves/save.ts'
import { isMisleading, isVisible } from '../../src/platform/lib/text.ts'

/** The planes with characters that Unicode ignores. Of the others, which have none, some are asked for. */
const planes = [0, 1, 14]

it('a text of a save is refused by the client exactly if the service refuses it', () => {
  const differing: string[] = []
  for (let point = 0; point < 0x11_0000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue // no header can carry them
    if (!planes.includes(point >> 16) && point % 61 > 0) continue
    const text = String.fromCodePoint(point)
    let isTaken = true
    try {
      rejectText('label', text, 255)
    } catch {
      isTaken = false
    }
    if (isTaken !== (isVisible(text) && !isMisleading(text))) differing.push(point.toString(16))
  }
  expect(differing).toEqual([])
})
