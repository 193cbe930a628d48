import { expect } from 'vitest'
import type { Answer } from '../../support/exchange.ts'
import { member } from './act.ts'

/** All pages of a list as if they were one; or the answer that was no page. */
export async function allPages(
  query: Record<string, unknown>,
  page: (query: string) => Promise<Answer>,
  name: string,
  short?: 'pages may be short',
): Promise<Answer> {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const params = new URLSearchParams(asked.map(([key, value]) => [key, String(value)]))
  const first = await page(params.toString())
  const all: unknown[] = []
  for (let answer = first; ; answer = await page(params.toString())) {
    const rows = member(answer, name)
    if (!Array.isArray(rows)) return answer
    const cursor = member(answer, 'next_cursor')
    const isFull = rows.length === Number(query.limit)
    // What is hidden from a grantee, or is being deleted for good, is left out of its page.
    if (typeof cursor === 'string' && short === undefined && name !== 'shares' && name !== 'blocked')
      expect(isFull, 'a page with another after it').toBe(true)
    expect(rows.length).toBeLessThanOrEqual(Number(query.limit))
    all.push(...rows)
    if (typeof cursor !== 'string') return { ...answer, body: { [name]: all, next_cursor: null } }
    params.set('cursor', cursor)
  }
}
