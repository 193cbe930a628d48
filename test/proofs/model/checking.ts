import { type Act, type Command, refused } from './act.ts'
import { anUpload, aPlayer } from './choose.ts'
import type { World } from './world.ts'

/** A verdict on an upload's content. The model's service has no checker, so that no upload waits for one. */
export const setVerdict: Command = {
  operation: 'setVerdict',
  writes: false,
  draw: (world, draw) => {
    const { id } = anUpload(world, draw)
    const [isPlayer, player, isReady] = [draw.chance(15), aPlayer(world, draw), draw.chance(50)]
    return givesVerdict(world, isPlayer ? player : world.operator, id, isReady)
  },
}

function givesVerdict({ operator }: World, user: string, id: string, isReady: boolean): Act {
  const json = isReady ? { verdict: 'ready' } : { verdict: 'failed', reason: 'It has a virus.' }
  return {
    says: `${user} gives the verdict ${json.verdict} on ${id}`,
    send: (service) => service.request(user, 'PUT', `/uploads/${id}/verdict`, { json }),
    judge: (world, answer) => {
      if (user !== operator) return refused(answer, 'FORBIDDEN')
      const isCompleted = world.uploads.get(id)?.state === 'completed'
      refused(answer, isCompleted ? 'UPLOAD_COMPLETED' : 'UPLOAD_NOT_FOUND')
    },
  }
}
