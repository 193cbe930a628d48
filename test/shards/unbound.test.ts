import { expect, it } from 'vitest'
import { Creator, signUpCreator } from '../support/creator.ts'
import { databaseNames, everywhere, overEvery } from '../support/databases.ts'
import { expectInPlace, expectSound } from '../support/invariants.ts'
import { overridden } from '../support/meter.ts'
import { serviceOver } from '../support/service.ts'
import { operator } from '../support/user.ts'

/** Bindings of an isolate of its own, which has not learned where partitions are. */
const { DB_2: _, ...bound } = overEvery((database) => overridden(database, {}))

/** Workers that lack a binding: of the last database, and of all but the first. */
const workers = { 'one database': bound, 'all but the first': { DB: bound.DB } }

it.each(Object.entries(workers))(
  'answers rightly or with 503, and writes nothing wrong, where a Worker lacks %s',
  async (_, bindings) => {
    const through = serviceOver(bindings)
    const mayMiss = Object.keys(bindings).length === 1
    const people = await Promise.all(databaseNames.map((name) => signUpCreator(name)))
    const content = await Promise.all(
      people.map(async (person) => ({
        file: (await person.file('file', 'content')).id,
        asset: await person.asset(`asset ${person.id}`, { visibility: 'public' }, 'content'),
      })),
    )
    for (const person of people)
      for (const [index, other] of people.entries()) {
        if (person === other) continue
        const { file, asset } = content[index] ?? expect.fail()
        expect((await other.createShare(file, { grantee_id: person.id, permission: 'view' })).status).toBe(
          201,
        )
        await person.branched(asset, `of ${index}`)
      }
    const problems: string[] = []
    for (const person of people) {
      const here = new Creator(person.id, person.token, through)
      const paths = [
        '/shares',
        '/files',
        '/files/trash',
        '/game/assets',
        '/game/public/worlds',
        ...content.flatMap(({ file, asset }) => [
          `/files/${file}`,
          `/files/${file}/shares`,
          `/game/assets/${asset.id}`,
          `/game/assets/${asset.id}/branches`,
          `/game/assets/${asset.id}/versions`,
        ]),
      ]
      for (const path of paths) {
        const [right, given] = [await person.get(path), await here.get(path)]
        if (given.status === 503 && given.headers.get('Retry-After')) continue
        const isSame = given.status === right.status && (given.status >= 400 || given.text === right.text)
        // With one database a read asks for no state: what has moved away may be missing (docs/scaling.md#with-one-database).
        const isMissing = mayMiss && given.status < 500
        if (!isSame && !isMissing)
          problems.push(`GET ${path}: ${given.status} ${given.text} for ${right.status} ${right.text}`)
      }
      const { file, asset } = content[people.indexOf(person)] ?? expect.fail()
      const acts = [
        ...people.map((other) => here.createShare(file, { grantee_id: `${other.id}x`, permission: 'view' })),
        ...content.map((other) => here.branch(other.asset, { name: crypto.randomUUID() })),
        here.deleteAsset(asset),
        here.restoreAsset(asset, {}),
        here.createFolder({ name: crypto.randomUUID(), asset_type: 'folder' }),
        here.startContent({ name: crypto.randomUUID(), asset_type: 'world' }),
        here.startContent({ asset_id: asset.id }),
        here.rollBack(asset, { from_version: 1 }),
        here.delete(file),
      ]
      for (const { status, text, headers } of await Promise.all(acts)) {
        if (status === 503 && headers.get('Retry-After')) continue
        if (status >= 500) problems.push(`a write as ${person.id}: ${status} ${text}`)
      }
      const eraser = new Creator('eraser', (await operator('users:erase')).token, through)
      const erased = await eraser.request('DELETE', `/users/${person.id}`)
      if (![202, 204, 503].includes(erased.status))
        problems.push(`erasing ${person.id}: ${erased.status} ${erased.text}`)
    }
    expect(problems).toEqual([])
    await expectInPlace()
    for (const { id } of people) await expectSound(id)
    expect(await everywhere('SELECT 1 FROM moves')).toEqual([])
  },
)
