import { type ReadSave, WriteConflict } from 'edge-game-storage-client'
import { useEffect, useState } from 'react'
import { showNotice } from '../controls/notice.tsx'
import { useSession } from '../session/session.tsx'
import { contentOf } from './content.ts'
import { type Draft, detailsOf } from './details-fields.tsx'

/** A device that has read a slot. */
interface Read {
  /** The revision that the device has read or written last; undefined when the slot was missing. */
  base: number | undefined
  draft: Draft
}

/** A device with a client of its own, which remembers the revision that it has read. */
export function useDevice(slot: string, name: string) {
  const { connect, changed } = useSession()
  const [{ saves }] = useState(connect)
  const [read, setRead] = useState<Read>()
  const [conflict, setConflict] = useState<WriteConflict>()
  const [error, setError] = useState<unknown>()
  const [isPending, setPending] = useState(false)

  useEffect(() => {
    let isShown = true
    readSlot().then(
      (found) => isShown && setRead(found),
      (refusal) => isShown && setError(refusal),
    )
    return () => {
      isShown = false
    }
    async function readSlot() {
      return readOf(await saves.read({ slot }))
    }
  }, [saves, slot])

  /** Acts, and shows a conflict or an error. */
  async function attempt(act: () => Promise<unknown>): Promise<void> {
    setPending(true)
    setError(undefined)
    try {
      await act()
    } catch (refusal) {
      if (refusal instanceof WriteConflict) setConflict(refusal)
      else setError(refusal)
    } finally {
      setPending(false)
    }
  }

  async function wrote({ revision }: { revision: number }): Promise<void> {
    setConflict(undefined)
    setRead((before) => before && { ...before, base: revision })
    showNotice(`${name} has written revision ${revision}.`)
    await changed('saves')
  }

  async function readAgain(): Promise<void> {
    setRead(readOf(await saves.read({ slot })))
    setConflict(undefined)
  }

  return {
    read,
    error,
    isPending,
    conflict,
    setDraft: (draft: Draft) => setRead((before) => before && { ...before, draft }),
    refresh: () => attempt(readAgain),
    write: (draft: Draft) =>
      attempt(async () =>
        wrote(await saves.write({ slot, bytes: draft.content.bytes, ...detailsOf(draft, name) })),
      ),
    /** Leaves the conflict undecided: the device keeps what it has, and the revision that it has read. */
    postpone: () => setConflict(undefined),
    keepMine: (undecided: WriteConflict) =>
      attempt(async () => wrote(await undecided.resolve({ bytes: undecided.mine.bytes }))),
    keepBoth: ({ mine: { bytes, ...details } }: WriteConflict) =>
      attempt(async () => {
        const kept = await keptRevision(saves.write({ slot, bytes, ...details, keep: true }))
        await readAgain()
        showNotice(`What ${name} wrote is kept as revision ${kept}.`)
        await changed('saves')
      }),
  }
}

/** What a device knows after a read. */
function readOf(read: ReadSave): Read {
  const { revision, bytes, mime_type, label, played_seconds } = read
  const content = contentOf(bytes, mime_type)
  const played = played_seconds === null ? '' : String(played_seconds)
  return { base: revision, draft: { label: label ?? '', played, content } }
}

/** The revision in which the service keeps a write that is in conflict. */
async function keptRevision(write: Promise<unknown>): Promise<number> {
  try {
    await write
  } catch (error) {
    if (!(error instanceof WriteConflict)) throw error
    if (error.kept_revision !== undefined) return error.kept_revision
    throw new Error('There is no room to keep both. Choose one, or download one first.', { cause: error })
  }
  throw new Error('The slot is at the revision again that this device has read: it is written.')
}
