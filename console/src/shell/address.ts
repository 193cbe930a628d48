/** What a pane shows: a screen, what of it, and what is chosen there. */
export interface Place {
  /** The first segment of the address after /console/: the name of a screen, or of none. */
  readonly screen: string
  /** The segments after it, decoded: a folder, an asset and its tab. */
  readonly path: readonly string[]
  /** What is selected or filtered, without empty values. */
  readonly query: Readonly<Record<string, string>>
}

/** Where the console is served. */
export const BASE = '/console/'

/** The parameter with the place of the second pane. */
const SECOND = 'second'

export const START: Place = startOf('files')

/** The place that a screen begins with. */
export function startOf(screen: string): Place {
  return { screen, path: [], query: {} }
}

/** The places of the first and of the second pane in an address; without the second, the page has one pane. */
export function placesIn({ pathname, search }: { pathname: string; search: string }): readonly Place[] {
  const query = new URLSearchParams(search)
  const second = query.get(SECOND)
  query.delete(SECOND)
  const first = placeOf(pathname.slice(BASE.length), query)
  if (second === null) return [first]
  const [path = '', text = ''] = second.split('?', 2)
  return [first, placeOf(path, new URLSearchParams(text))]
}

/** The address of these places. */
export function addressOf([first = START, second]: readonly Place[]): string {
  const query = new URLSearchParams(first.query)
  if (second) query.set(SECOND, textOf(second))
  return BASE + textOf({ ...first, query: Object.fromEntries(query) })
}

function placeOf(path: string, query: URLSearchParams): Place {
  const [screen = '', ...rest] = path.split('/').filter(Boolean).map(decoded)
  if (screen === '') return { ...START, query: Object.fromEntries(query) }
  return { screen, path: rest, query: Object.fromEntries(query) }
}

function textOf({ screen, path, query }: Place): string {
  const segments = [screen, ...path].map(encodeURIComponent).join('/')
  const given = Object.entries(query).filter(([, value]) => value !== '')
  return given.length === 0 ? segments : `${segments}?${new URLSearchParams(given)}`
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment // a malformed escape is a place that no screen has
  }
}
