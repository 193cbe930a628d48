import type { IconName } from '../controls/icon.tsx'

/** The screens of a pane, in the order of its navigation. To add one, name it here and render it in pane.tsx. */
export const screens = {
  files: { title: 'Files', icon: 'folder' },
  shared: { title: 'Shared with me', icon: 'share' },
  trash: { title: 'Trash', icon: 'trash' },
  saves: { title: 'Saves', icon: 'save' },
  assets: { title: 'Assets', icon: 'box' },
  discover: { title: 'Discover', icon: 'globe' },
  inbox: { title: 'Inbox', icon: 'bell' },
  operators: { title: 'Operators', icon: 'shield' },
} as const satisfies Record<string, { title: string; icon: IconName }>

export type ScreenName = keyof typeof screens

export function isScreen(name: unknown): name is ScreenName {
  return typeof name === 'string' && Object.hasOwn(screens, name)
}

export const screenNames: readonly ScreenName[] = Object.keys(screens).filter(isScreen)
