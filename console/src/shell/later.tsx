import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNote, Waiting } from '../controls/status.tsx'
import { noteUnreached } from '../session/reachability.ts'
import { BASE } from './address.ts'

/** A part of the page, with the build that its file is of. */
interface Part {
  Shown: () => ReactNode
  build: string
}

class OtherBuild extends Error {
  override name = 'OtherBuild'
}

/** Rejects while the service can't be reached. A browser that has once failed to load a module does not try again. */
async function reachService(): Promise<void> {
  try {
    await fetch(BASE, { method: 'HEAD' })
  } catch (error) {
    noteUnreached()
    throw error
  }
}

/**
 * A component that loads its part of the page from a file of its own when it is first shown, so that nobody loads a part that
 * they do not open. After a deployment the service has files of another build, which do not fit a page that was loaded before:
 * the component then says so. `waiting` is shown meanwhile.
 */
export function later(
  name: string,
  load: () => Promise<Part>,
  waiting: ReactNode = <Waiting rows={3} />,
): () => ReactNode {
  return function Later() {
    const { data, error, isPending, refetch } = useQuery({
      queryKey: ['part of the page', name],
      queryFn: async () => {
        await reachService()
        const part = await load()
        if (part.build !== BUILD) throw new OtherBuild()
        return part
      },
      staleTime: Number.POSITIVE_INFINITY,
      structuralSharing: false,
    })
    if (isPending) return waiting
    if (error instanceof OtherBuild)
      return (
        <ErrorNote
          error={error}
          text="The console has been updated since. Load the page again."
          retry="Load the page again"
          onRetry={() => location.reload()}
        />
      )
    if (error)
      return (
        <ErrorNote
          error={error}
          text="This part of the console could not be loaded. If it fails again, load the page again."
          onRetry={() => void refetch()}
        />
      )
    return <data.Shown />
  }
}
