import type { Place } from '../../shell/address.ts'

/** The screens of the desk, with their titles. */
export const deskScreens = {
  files: 'Files',
  trash: 'Trash',
  assets: 'Assets',
  saves: 'Saves',
  inbox: 'Inbox',
  safety: 'Decisions',
  done: 'What was done',
} as const

export type DeskScreen = keyof typeof deskScreens

export function isDeskScreen(name: string): name is DeskScreen {
  return Object.hasOwn(deskScreens, name)
}

/** What follows the player in an address of their desk. */
export const DESK = 'desk'

/** The place of the desk's screens in that of the pane: `operators/users/ada/desk/files/FOLDER` is `files/FOLDER`. */
export function innerPlace({ path, query }: Place): Place {
  const [, , , screen = 'files', ...rest] = path
  return isDeskScreen(screen) ? { screen, path: rest, query } : { screen: 'files', path: [], query: {} }
}

/** The place of the pane for one of the desk's screens. A screen that the desk has not is that of the pane. */
export function outerPlace(user_id: string, place: Place): Place {
  const { screen, path, query } = place
  if (!isDeskScreen(screen)) return place
  return { screen: 'operators', path: ['users', user_id, DESK, screen, ...path], query }
}
