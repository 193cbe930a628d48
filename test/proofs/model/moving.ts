import { partitionOf } from '../../../src/platform/db/id.ts'
import { databaseNames } from '../../support/databases.ts'
import { type Act, type Command, type Death, unspoken } from './act.ts'
import { aPlayer } from './choose.ts'

/** Some steps of moving a player's partition to another database; of the move that is under way, if there is one. */
export const movePartition: Command = {
  operation: 'a move',
  writes: true,
  draw: (world, draw) => {
    const partition = partitionOf(aPlayer(world, draw))
    const [target, steps] = [draw.of(databaseNames) ?? '', 1 + draw.below(9)]
    const [isKilled, call, when] = [
      draw.chance(30),
      1 + draw.below(25),
      draw.one('before' as const, 'after' as const),
    ]
    return movesPartition(partition, target, steps, isKilled ? { call, when } : undefined)
  },
}

function movesPartition(partition: string, target: string, steps: number, death: Death | undefined): Act {
  const end = death ? `, killed ${death.when} call ${death.call}` : ''
  return {
    says: `${steps} steps of moving ${partition} to ${target}${end}`,
    send: async (service) => {
      await service.movePartition(partition, target, steps, death)
      return unspoken
    },
    judge: () => {},
  }
}
