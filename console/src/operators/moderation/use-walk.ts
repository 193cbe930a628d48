import { useRef } from 'react'

/** The ids before and after one. */
export interface Steps {
  previous: string | undefined
  next: string | undefined
  /** Which one it is, from 1 on; 0 when it is none of them. */
  number: number
  count: number
}

/**
 * The cases to go through, in the order of the queue. What is decided leaves the queue and stays here, so that the next one is
 * still the next. `list` names the queue: another one begins anew, and so does the queue itself, without `opened`.
 */
export function useWalk(list: string, ids: readonly string[], opened: string | undefined): Steps {
  const walk = useRef<{ list: string; ids: readonly string[] }>({ list, ids: [] })
  const { current } = walk
  if (current.list !== list || opened === undefined) walk.current = { list, ids }
  else if (ids.some((id) => !current.ids.includes(id)))
    walk.current = { list, ids: [...new Set([...current.ids, ...ids])] }
  const all = walk.current.ids
  const at = opened === undefined ? -1 : all.indexOf(opened)
  return {
    previous: at > 0 ? all[at - 1] : undefined,
    next: at === -1 ? all[0] : all[at + 1],
    number: at + 1,
    count: all.length,
  }
}
