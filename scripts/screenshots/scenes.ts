/** The scenes of the screenshots: the steps that lead to each screen and dialog of the console. */
import type { Locator, Page } from 'playwright-core'
import { allScopes, type Cast } from './content.ts'
import { landscape } from './media.ts'

/** A window with the console, where Ada is signed in and has the content of content.ts. */
export interface Stage extends Cast {
  page: Page
  /** Ada's pane. */
  pane: Locator
}

type Show = (stage: Stage) => Promise<unknown>

/** Signs in as a made-up user, in the pane that asks for it. */
export async function signIn(
  page: Page,
  user_id: string,
  scopes: readonly string[] = allScopes,
): Promise<Locator> {
  const form = page.locator('form').filter({ hasText: 'Sign in as anybody' })
  await form.getByLabel('User id').fill(user_id)
  for (const scope of scopes) await form.getByText(scope).click()
  await form.getByRole('button', { name: 'Sign in' }).click()
  const pane = page.getByRole('region', { name: `Signed in as ${user_id}` })
  await pane.getByRole('tab', { name: 'Files' }).waitFor()
  return pane
}

/** Opens a screen, in a narrow pane by "More" when the navigation does not show it. */
export async function openScreen(pane: Locator, screen: string): Promise<void> {
  const tab = pane.getByRole('tab', { name: screen, exact: true })
  if (!(await tab.isVisible())) await pane.getByRole('button', { name: 'More', exact: true }).click()
  await tab.click()
}

/** Closes the notices, dialogs and panes that a scene has opened, and the Developer view. */
export async function leave({ page, pane }: Stage): Promise<void> {
  for (const notice of await page.getByRole('button', { name: 'Close the notice' }).all())
    await notice.click()
  while ((await page.locator('[role=dialog], [role=menu], .popover').count()) > 0)
    await page.keyboard.press('Escape')
  // Behind one pane, the second user would stay signed in.
  const signOut = page.locator('.panes > section').nth(1).getByRole('button', { name: 'Sign out' })
  if (await signOut.isVisible()) await signOut.click()
  const oneUser = page.getByRole('button', { name: 'One user' })
  if (await oneUser.isVisible()) await oneUser.click()
  const developer = page.getByRole('button', { name: 'Developer view', pressed: true })
  if (await developer.isVisible()) await developer.click()
  await openScreen(pane, 'Shared with me')
}

const at =
  (tab: string, ...steps: Show[]): Show =>
  async (stage) => {
    // The first press leads to where the screen was left, the second to its start.
    for (const _ of [1, 2]) await openScreen(stage.pane, tab)
    for (const step of steps) await step(stage)
  }

const press =
  (name: string): Show =>
  ({ pane }) =>
    pane.getByRole('button', { name, exact: true }).first().click()
/** Makes a choice of the menu of the view of files. In a narrow pane, the layout is there too. */
const view =
  (choice: string): Show =>
  async ({ page, pane }) => {
    await pane.getByRole('button', { name: /^Order/ }).click()
    await page.getByRole('menuitemradio', { name: choice, exact: true }).click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
  }
const layout =
  (choice: 'List' | 'Grid'): Show =>
  async (stage) => {
    const toggle = stage.pane.getByRole('radio', { name: choice })
    if (await toggle.isVisible()) await toggle.click()
    else await view(choice)(stage)
  }
const openRow =
  (name: string): Show =>
  ({ pane }) =>
    pane.getByRole('row', { name, exact: true }).click()
const openTab =
  (name: string): Show =>
  ({ pane }) =>
    pane.getByRole('tab', { name }).click()
const developerView: Show = async ({ page }) => {
  const off = page.getByRole('button', { name: 'Developer view', pressed: false })
  if (await off.isVisible()) await off.click()
}
const see =
  (text: string): Show =>
  ({ pane }) =>
    pane.getByText(text).first().waitFor()
const dialog: Show = ({ page }) => page.getByRole('dialog').getByRole('heading', { level: 2 }).waitFor()
const act = (item: string, action: string): Show[] => [
  press(`Actions for ${item}`),
  ({ page }) => page.getByRole('menuitem', { name: action }).click(),
  dialog,
]
const select =
  (...names: string[]): Show =>
  async ({ pane }) => {
    for (const name of names) await pane.getByRole('row', { name, exact: true }).locator('.checkbox').click()
  }

const files = (...steps: Show[]) => at('Files', see('castle.png'), ...steps)
const castle = (...steps: Show[]) =>
  at(
    'Assets',
    openRow('Castle in the rain'),
    ({ pane }) => pane.getByRole('button', { name: 'Actions for version 2' }).waitFor(),
    ...steps,
  )
/** Scrolls the whole of an element into view. */
const scrollTo =
  (selector: string): Show =>
  ({ pane }) =>
    pane.locator(selector).last().scrollIntoViewIfNeeded()
const save = (slot: string, ...steps: Show[]) =>
  at('Saves', openRow(slot), see('has read revision'), ...steps)
const operators = (part: string, ...steps: Show[]) =>
  at('Operators', ({ pane }) => pane.getByRole('tab', { name: part }).click(), ...steps)
const player = (...steps: Show[]) =>
  operators(
    'Players',
    ({ pane, grace }) => pane.getByLabel('User id').fill(grace),
    press('Open'),
    see('Copied castle'),
    ...steps,
  )

const deviceOf = (pane: Locator, name: string) => pane.getByRole('region', { name, exact: true })

async function writeOn(pane: Locator, name: string, label: string, content: string): Promise<void> {
  const device = deviceOf(pane, name)
  await device.getByLabel('Label').fill(label)
  await device.getByLabel('Content').fill(content)
  await device.getByRole('button', { name: 'Write', exact: true }).click()
}

/** Every screen and dialog, by name. After each, `leave` restores the stage. */
export const scenes: Readonly<Record<string, Show>> = {
  files: files(({ pane }) => pane.locator('img.thumbnail').nth(1).waitFor()),
  'files-grid': files(layout('Grid'), ({ pane }) => pane.locator('img.thumbnail').first().waitFor()),
  'files-details': files(
    layout('List'),
    press('Actions for castle.png'),
    ({ page }) => page.getByRole('menuitem', { name: 'Details' }).click(),
    ({ page }) => page.getByRole('region', { name: 'Who has access' }).waitFor(),
  ),
  'files-context-menu': files(
    ({ pane }) => pane.getByRole('row', { name: 'level-1.json', exact: true }).click({ button: 'right' }),
    ({ page }) => page.getByRole('menu').waitFor(),
  ),
  'files-selected': files(select('castle.png', 'harbour.png')),
  'files-menu': files(press('Actions for castle.png'), ({ page }) => page.getByRole('menu').waitFor()),
  'files-sort': files(
    view('Modified'),
    ({ pane }) => pane.getByRole('button', { name: /^Order/ }).click(),
    ({ page }) => page.getByRole('menu').waitFor(),
  ),
  'files-rename': files(press('Actions for castle.png'), ({ page }) =>
    page.getByRole('menuitem', { name: 'Rename' }).click(),
  ),
  'new-folder': files(async ({ page, pane }) => {
    const button = pane.getByRole('button', { name: 'New folder' })
    if (await button.isVisible()) return button.click()
    await pane.getByRole('button', { name: 'More to add' }).click()
    await page.getByRole('menuitem', { name: 'New folder' }).click()
  }, dialog),
  'upload-names': files(async ({ page, pane }) => {
    const chooser = page.waitForEvent('filechooser')
    await pane.getByRole('button', { name: 'Upload', exact: true }).click()
    const named = (name: string) => ({ name, mimeType: 'image/png', buffer: landscape(210) })
    await (await chooser).setFiles(['castle.png', 'harbour.png'].map(named))
  }, dialog),
  move: files(...act('castle.png', 'Move to'), ({ page }) =>
    page.getByRole('dialog').getByRole('option', { name: 'Levels' }).waitFor(),
  ),
  'preview-picture': files(openRow('castle.png'), ({ page }) =>
    page.getByRole('dialog').getByRole('img').waitFor(),
  ),
  'preview-text': files(openRow('Notes on level 1.md'), ({ page }) =>
    page.getByText('The owl knows the way').waitFor(),
  ),
  'preview-sound': files(openRow('theme.wav'), ({ page }) => page.locator('audio').waitFor()),
  share: files(...act('castle.png', 'Share'), ({ page }) =>
    page.getByRole('region', { name: 'Who has access' }).waitFor(),
  ),
  'shared-with-me': at('Shared with me', see('castle.png')),
  'shared-preview': at(
    'Shared with me',
    ({ pane }) => pane.getByRole('button', { name: 'Open castle.png' }).click(),
    ({ page }) => page.getByRole('dialog').getByRole('img').waitFor(),
  ),
  trash: at('Trash', see('Old menu.png')),
  'trash-empty-it': at('Trash', see('Old menu.png'), press('Empty the trash'), dialog),
  saves: at('Saves', see('prologue')),
  'saves-deleted': at('Saves', press('Deleted'), see('The tutorial')),
  'new-save': at('Saves', press('New save'), dialog),
  save: save('auto', press('Second device'), ({ pane }) =>
    deviceOf(pane, 'Desktop').getByText('has read').waitFor(),
  ),
  'save-revision': save('auto', openRow('Revision 2'), ({ page }) =>
    page.getByRole('dialog').getByRole('region', { name: 'Content' }).waitFor(),
  ),
  'save-conflict': save(
    'prologue',
    press('Second device'),
    async ({ pane }) => {
      await deviceOf(pane, 'Desktop').getByText('has read').waitFor()
      await writeOn(pane, 'Phone', 'The first drops', '{ "level": 1, "coins": 12, "lantern": false }')
      await deviceOf(pane, 'Desktop').getByText('the slot is at').waitFor()
      await pane.page().getByRole('button', { name: 'Close the notice' }).click()
      await writeOn(pane, 'Desktop', 'Under the bridge', '{ "level": 2, "coins": 9, "lantern": false }')
    },
    ({ page }) => page.getByRole('region', { name: 'Current content' }).waitFor(),
  ),
  assets: at('Assets', see('Castle in the rain')),
  'assets-deleted': at('Assets', press('Deleted'), see('Old well')),
  'asset-delete-permanently': at('Assets', press('Deleted'), press('Delete permanently'), dialog),
  'new-asset': at('Assets', press('New asset'), dialog),
  asset: castle(scrollTo('.would-get')),
  'asset-roll-back': castle(...act('version 2', 'Roll back')),
  'asset-edit-version': castle(...act('version 2', 'Edit builds and notes')),
  'asset-add-platform': castle(...act('version 2', 'Add content for a platform')),
  'asset-edit-page': castle(press('Edit the page'), dialog),
  'asset-rename': castle(...act('Castle in the rain', 'Rename')),
  'asset-branch': castle(...act('Castle in the rain', 'Branch')),
  'asset-delete': castle(...act('Castle in the rain', 'Delete')),
  branches: castle(openTab('Branches'), see('Castle at night'), scrollTo('.asset-list')),
  lineage: castle(openTab('Lineage'), see('from version 2'), scrollTo('.lineage')),
  discover: at('Discover', press('Tag castle'), see('Castle at dawn')),
  favorites: at('Discover', press('My favorites'), see('Castle in the rain')),
  inbox: at(
    'Inbox',
    see('Gift: Golden sword'),
    press('Show the details'),
    press('New notification'),
    async ({ page, pane, ada, grace }) => {
      await pane.getByRole('button', { name: /Template/ }).click()
      await page.getByRole('option', { name: 'A gift' }).click()
      await pane.getByLabel('To the users').fill(`${ada}\n${grace}`)
      await pane.getByRole('button', { name: 'Publish' }).click()
      await pane.getByRole('region', { name: 'Outcomes' }).waitFor()
      await pane.getByRole('heading', { name: 'Inbox' }).scrollIntoViewIfNeeded()
    },
  ),
  'inbox-devices': at('Inbox', developerView, press('Second device'), async ({ pane }) => {
    for (const name of ['Device 1', 'Device 2'])
      await pane.getByRole('region', { name }).getByText('connected', { exact: true }).waitFor()
    const two = pane.getByRole('region', { name: 'Device 2' })
    await two.getByRole('button', { name: 'Show the details' }).first().click()
    await two.getByRole('button', { name: 'Cut off' }).click()
    await two.getByText('cut off').waitFor()
  }),
  operators: player(see('with the trash')),
  'operators-erase': player(press('Erase …'), dialog),
  'operators-players': operators('Players'),
  'operators-announcements': operators('Announcements', see('since')),
  'operators-recalls': operators('Recalls', see('Saves that were written since')),
  'operators-blocks': operators('Blocks', see('Copied castle')),
  'operators-databases': operators('Databases', see('How to scale')),
  'operators-events': operators('Events', see('No receiver')),
  'operators-job': operators('The job', press('Run the job'), ({ pane }) =>
    pane.getByRole('list', { name: 'What the job did' }).waitFor(),
  ),
  'two-users': at('Files', see('castle.png'), async ({ page, grace }) => {
    await page.getByRole('button', { name: 'Second user' }).click()
    const other = await signIn(page, grace, [])
    await openScreen(other, 'Shared with me')
    await other.getByText('level-1.json').waitFor()
  }),
  'two-users-sign-in': at('Inbox', see('Gift: Golden sword'), async ({ page }) => {
    await page.getByRole('button', { name: 'Second user' }).click()
    await page.getByText('Sign in as anybody').waitFor()
  }),
  'an-error': at(
    'Assets',
    press('New asset'),
    ({ page }) => page.getByRole('textbox', { name: 'Name' }).fill('Castle in the rain'),
    ({ page }) => page.getByRole('button', { name: 'Create' }).click(),
    ({ page }) => page.getByRole('alert').waitFor(),
  ),
  'an-error-notice': files(
    press('Actions for castle.png'),
    ({ page }) => page.getByRole('menuitem', { name: 'Rename' }).click(),
    ({ page }) => page.getByRole('textbox', { name: 'New name of' }).fill('a/b'),
    ({ page }) => page.keyboard.press('Enter'),
    ({ page }) => page.getByRole('alert').waitFor(),
  ),
  'requests-selected': files(
    developerView,
    async ({ pane }) => {
      const toggle = pane.getByRole('button', { name: / the requests$/ })
      if ((await toggle.getAttribute('aria-expanded')) === 'false') await toggle.click()
    },
    ({ pane }) =>
      pane
        .getByRole('option', { name: /GET \/v1/ })
        .first()
        .click(),
    see('Operation'),
    see('ms here'),
  ),
}
