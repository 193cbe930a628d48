import { expect } from 'vitest'
import { CatalogueOverview, CatalogueRebuilt } from '../../../src/operators/catalogue/schema.ts'
import { databaseNames, isMoving } from '../../support/databases.ts'
import type { Command } from './act.ts'
import { isInCatalogue } from './asset-record.ts'

export const getCatalogue: Command = {
  operation: 'getCatalogue',
  writes: false,
  draw: (world) => ({
    says: `${world.operator} asks how the catalogue stands`,
    send: (service) => service.request(world.operator, 'GET', '/catalogue'),
    judge: (_, answer) => {
      expect(answer.status, answer.text).toBe(200)
      const { entries, marks } = CatalogueOverview.parse(answer.body)
      // Those of erased owners are hidden, and count until the job has removed them.
      expect(entries).toBeGreaterThanOrEqual([...world.assets.values()].filter(isInCatalogue).length)
      expect(marks.map(({ database }) => database)).toEqual(databaseNames)
    },
  }),
}

export const writeCatalogue: Command = {
  operation: 'writeCatalogue',
  // It changes nothing that anybody is told.
  writes: false,
  draw: (world, draw) => {
    const json = {
      of: draw.one('assets', 'entries', 'marks'),
      database: draw.of(databaseNames) ?? '',
    }
    let wasMoving = false
    return {
      says: `${world.operator} writes the catalogue anew: ${JSON.stringify(json)}`,
      send: async (service) => {
        wasMoving = await isMoving()
        return service.request(world.operator, 'POST', '/catalogue/rebuild', { json })
      },
      judge: (_, answer) => {
        expect([200, ...(wasMoving ? [503] : [])], answer.text).toContain(answer.status)
        if (answer.status === 200) expect(CatalogueRebuilt.parse(answer.body).next).toBeNull()
      },
    }
  },
}
