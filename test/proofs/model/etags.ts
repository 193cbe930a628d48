import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import { type Draw, lost } from './act.ts'
import type { Item } from './files.ts'
import type { Asset, World } from './state.ts'

/** An If-Match header, sometimes: the ETag as it was last seen (weakened, too), an older one, any, or a foreign one. */
export function drawIfMatch(world: World, id: string, draw: Draw): string | undefined {
  const { changes = 0, etags = {} } = world.items.get(id) ?? world.assets.get(id) ?? {}
  const [isSent, kind, old] = [draw.chance(20), draw.below(5), draw.below(100)]
  const past = Object.keys(etags).filter((at) => Number(at) < changes)
  const [present, before] = [etags[changes], etags[Number(past[old % Math.max(1, past.length)])]]
  const header = [present, before, '*', '"none-such"', present && `W/${present}, "other"`][kind]
  return isSent ? (header ?? '*') : undefined
}

/** Whether what an If-Match header asks for holds. */
export function isMatch({ changes, etags }: Item | Asset, header: string | undefined): boolean {
  return (
    header === undefined ||
    header === '*' ||
    header
      .replace('W/', '')
      .split(', ')
      .includes(etags[changes] ?? '')
  )
}

export function ifMatch(header: string | undefined): Record<string, string> {
  return header === undefined ? {} : { 'If-Match': header }
}

/** Compares the ETag with those that the item had: the same for the same record, another for another. */
export function expectEtag(item: Item | Asset, answer: Answer): void {
  if (answer === lost) return
  const etag = answer.headers.get('ETag') ?? 'none'
  item.etags[item.changes] ??= etag
  expect(etag, 'the ETag of an unchanged record').toBe(item.etags[item.changes])
  const others = Object.entries(item.etags).filter(([at]) => Number(at) !== item.changes)
  expect(
    others.map(([, other]) => other),
    'the ETags that it had before',
  ).not.toContain(etag)
}
