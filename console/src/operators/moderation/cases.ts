import type { Case, CaseSort, CaseState, ReportCategory } from 'edge-game-storage-client/studio'
import { usePages } from '../../controls/pages.tsx'
import { numberIn } from '../../json.ts'
import { categories } from '../../reports/words.ts'
import { useSession } from '../../session/session.tsx'

/** The first part of every query key about cases. */
export const MODERATION = 'moderation'

export const states: Readonly<Record<CaseState, string>> = {
  open: 'Open',
  appealed: 'Appealed',
  decided: 'Decided',
}

export const sorts: Readonly<Record<CaseSort, string>> = {
  oldest: 'Oldest first',
  reports: 'Most reports first',
}

export const categoryChoices = { all: 'All categories', ...categories } as const

/** Which cases the queue shows, and in what order. */
export interface Filter {
  state: CaseState
  category: keyof typeof categoryChoices
  owner: string
  sort: CaseSort
}

function oneOf<Value extends string>(
  options: Readonly<Record<Value, string>>,
  name: unknown,
  or: Value,
): Value {
  const isOption = (one: unknown): one is Value => typeof one === 'string' && Object.hasOwn(options, one)
  return isOption(name) ? name : or
}

/** The filter that an address has. */
export function filterOf(query: Readonly<Record<string, string>>): Filter {
  return {
    state: oneOf(states, query.state, 'open'),
    category: oneOf(categoryChoices, query.category, 'all'),
    owner: query.owner ?? '',
    sort: oneOf(sorts, query.sort, 'oldest'),
  }
}

/** How often the queue is read again while it is shown. */
const REFRESH_MS = 30_000

/** The cases that a filter finds. */
export function useCases({ state, category, owner, sort }: Filter) {
  const { studio } = useSession()
  const owner_id = owner.trim()
  const given = {
    state,
    sort,
    ...(category !== 'all' && { category }),
    ...(owner_id !== '' && { owner_id }),
  }
  return usePages({
    queryKey: [MODERATION, 'cases', given],
    read: (cursor, signal) => studio.cases.list({ ...given, limit: 25, ...cursor }, { signal }).page(),
    itemsOf: (page) => page.cases,
    refreshMs: REFRESH_MS,
    keepsPrevious: true,
  })
}

/** The open reports of a case by category, the most first. */
export function countsOf(found: Pick<Case, 'categories'>): { category: ReportCategory; count: number }[] {
  const isCategory = (name: string): name is ReportCategory => Object.hasOwn(categories, name)
  return Object.keys(found.categories)
    .filter(isCategory)
    .map((category) => ({ category, count: numberIn(found.categories, category) }))
    .sort((one, other) => other.count - one.count)
}

/** What a case is called: the name of its thing, or the player. */
export function titleOf({ name, target }: Pick<Case, 'name' | 'target'>): string {
  if (name !== null) return name
  return target.type === 'user'
    ? target.id
    : target.type === 'asset'
      ? 'An asset that is gone'
      : 'A file that is gone'
}

/** Since when a case waits for a moderator; undefined when it does not. */
export function waitingSince({ state, appeal, first_reported_at }: Case): number | undefined {
  if (state === 'appealed') return appeal?.created_at
  return state === 'open' ? (first_reported_at ?? undefined) : undefined
}

/** How long something waits: '3 days', '2 hours', 'a moment'. */
export function waitText(since: number): string {
  const seconds = Math.max(0, Date.now() / 1_000 - since)
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const) {
    const count = Math.floor(seconds / length)
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'}`
  }
  return 'a moment'
}
