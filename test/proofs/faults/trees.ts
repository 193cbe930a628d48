import { editFile } from '../../../src/features/files/edit.ts'
import { newId } from '../../../src/platform/db/id.ts'
import type { Scene } from './scene.ts'
import { stock } from './stock.ts'

/** A folder with a file and a folder with a file in it; in the trash, with another file, if it says so. */
export async function tree(scene: Scene, in_trash = false) {
  const thing = (name: string) => scene.named(name, { id: newId(scene.ada.user_id), name })
  const [outer, inner, content] = [thing('outer'), thing('inner'), thing('content')]
  await stock(
    scene.ada,
    { ...outer, type: 'folder', in_trash },
    { ...inner, type: 'folder', parent: outer },
    { ...content, type: 'file', parent: outer },
    { ...thing('deep'), type: 'file', parent: inner },
    { ...thing('other'), type: 'file', in_trash },
  )
  return { outer, inner, content }
}

/** The tree in the trash. */
export const trash = (scene: Scene) => tree(scene, true)

/** A folder of bob's that everybody may see. */
export async function publicOf(scene: Scene) {
  const open = scene.named('open', { id: newId(scene.bob.user_id), name: 'open' })
  const inside = scene.named('in it', { id: newId(scene.bob.user_id), name: 'in it' })
  await stock(scene.bob, { ...open, type: 'folder' }, { ...inside, type: 'file', parent: open })
  await editFile(scene.bob, open.id, { is_public: true })
  return open
}
