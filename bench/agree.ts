/**
 * Replaces the parts of an answer that differ between two requests (new ids, times, signatures, cursors), so that two answers
 * of the same shape and content become equal.
 */
function comparable(body: string): string {
  return body
    .replace(/"next_cursor":"[^"]+"/g, '"next_cursor":"CURSOR"')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replace(/X-Amz-Date=\w+/g, 'X-Amz-Date=TIME')
    .replace(/X-Amz-Signature=\w+/g, 'X-Amz-Signature=SIGNATURE')
    .replace(/\/\d{8}\/|%2F\d{8}%2F/g, '/DAY/')
    .replace(/"(updated_at|created_at|expires_at|url_expires_at)":\d+/g, '"$1":0')
}

/** @throws Error when a list is empty, because its speed would be that of no list */
export function refuseEmptyList(title: string, answer: string): void {
  if (/"(files|assets|versions|urls)":\[\]/.test(answer))
    throw new Error(`${title}: the list is empty: bench/tree.ts has to plant rows for it.`)
}

/** @throws Error when the service and the floor answer differently, because their speeds could not be compared */
export function refuseDisagreement(title: string, service: string, floor: string): void {
  const [expected, found] = [comparable(service), comparable(floor)]
  if (expected === found) return
  const at = [...expected].findIndex((character, i) => character !== found[i])
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  throw new Error(
    `${title}: the floor (bench/floor.ts) does not answer as the service does.\n` +
      `  service: …${around(expected)}…\n  floor:   …${around(found)}…`,
  )
}
