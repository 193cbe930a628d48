import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { type Client, createClient } from '#client'
import { createStudio, type Studio } from '#client/studio'
import { developmentToken } from '../../../scripts/development.ts'
import { violationsInBothThemes } from '../browser/violations.ts'
import { Console, type ConsolePage, newUser } from './console.ts'

const console_ = await Console.start()

const MODERATE = ['content:moderate']

function clientOf(user_id: string): Client {
  return createClient({ baseUrl: console_.origin, token: () => developmentToken(user_id) })
}

function moderator(user_id = newUser('mod')): Studio {
  const token = () => developmentToken(user_id, { scope: 'content:moderate' })
  return createStudio({ baseUrl: console_.origin, token })
}

/** A public world of a new owner. */
async function publicWorld(name: string, owner = newUser('dora')) {
  const { id } = await clientOf(owner).assets.create({ name, type: 'world', visibility: 'public' })
  return { id, name, owner, target: { type: 'asset' as const, id } }
}

/** Shows a place to a user: signs out whoever is signed in. */
async function as(
  window: ConsolePage,
  user_id: string,
  place: string,
  scopes: string[] = [],
): Promise<Locator> {
  const { page } = window
  const signOut = page.getByRole('button', { name: 'Sign out' })
  if (await signOut.isVisible()) await signOut.click()
  await page.goto(`${console_.origin}/console/${place}`)
  return window.signIn({ user_id, scopes })
}

/** What is wrong with how a screen looks, in both themes and on a phone. */
async function faultsOfLook(window: ConsolePage, name: string): Promise<string[]> {
  const { page } = window
  const found = (await violationsInBothThemes(page)).map((violation) => `${name}: ${violation}`)
  await page.setViewportSize({ width: 375, height: 760 })
  const fits = await expect
    .poll(() => window.isWiderThanWindow())
    .toBe(false)
    .then(
      () => true,
      () => false,
    )
  await page.setViewportSize({ width: 1_280, height: 800 })
  return fits ? found : [...found, `${name} is wider than a phone`]
}

/** The faults of a page without the refusals that it shows. */
const unexpected = ({ faults }: ConsolePage) =>
  faults.filter((fault) => !/\(4\d\d|status of 4\d\d/.test(fault))

/** Goes from a report by a decision and an appeal to its answer. The screens for which `isLookedAt` holds have to look well. */
async function goToTheAnswer(isLookedAt: (screen: string) => boolean): Promise<void> {
  const window = await console_.open()
  const { page } = window
  const world = await publicWorld(newUser('Maze'))
  const { name, owner } = world
  const [bob, otto, eve] = [newUser('bob'), newUser('otto'), newUser('eve')]
  const looks: string[] = []
  const look = async (screen: string) => {
    if (isLookedAt(screen)) looks.push(...(await faultsOfLook(window, screen)))
  }

  let pane = await as(window, bob, `discover/${world.id}`)
  const openDialog = async () => {
    await pane.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Report' }).click()
  }
  await openDialog()
  const dialog = page.getByRole('dialog', { name: `Report ${name}` })
  const send = dialog.getByRole('button', { name: 'Report' })
  await dialog.getByText('Hate').click()
  expect(await send.isDisabled()).toBe(false)
  await dialog.getByText('I think this is illegal').click()
  await dialog.getByText('has to say why it is').waitFor()
  expect(await send.isDisabled()).toBe(true)
  await dialog.getByLabel('What exactly').fill('<b>A slogan</b> on the wall.')
  await look('the report')
  await send.click()
  await page.getByRole('dialog', { name: 'Reported' }).getByText('A moderator will look').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await openDialog()
  await page.getByRole('dialog', { name: 'You have reported it' }).waitFor()
  await page.getByRole('link', { name: 'Open the report' }).click()
  await pane.getByText('A moderator has still to look at it.').waitFor()
  await look('a report of mine')

  pane = await as(window, otto, `operators/moderation?owner=${owner}`, MODERATE)
  const row = pane.getByRole('row', { name })
  await row.getByText('Said to be illegal').waitFor()
  await row.getByText('1 report').waitFor()
  await look('the queue')
  await row.click()
  await pane.getByText('<b>A slogan</b> on the wall.').waitFor()
  await pane.getByText('Take it out of the catalogue').click()
  await pane.getByLabel('Which clause').fill('Terms of use, 4.2')
  await pane.getByLabel('Statement').fill('The wall of the second room has a slogan.')
  const preview = pane.getByRole('region', { name: 'Preview' })
  await preview.getByText(`${name} is out of the catalogue because of our terms`).waitFor()
  await preview.getByText('The wall of the second room has a slogan.').waitFor()
  await pane.getByRole('button', { name: 'Templates' }).click()
  const templates = page.getByRole('dialog', { name: 'Templates' })
  await templates.getByLabel('Keep the statement as').fill('A slogan')
  await page.keyboard.press('Enter')
  await templates.getByRole('button', { name: 'Use A slogan' }).waitFor()
  await page.keyboard.press('Escape')
  await look('a case')

  // Somebody else is faster.
  const other = moderator()
  const { id } = await other.cases.open({ target: world.target })
  await other.cases.decide({ id, action: 'warn', ground: 'terms', statement: 'Mend it.' })
  await pane.getByRole('button', { name: 'Decide', exact: true }).click()
  await pane.getByRole('alert').getByText('has decided meanwhile: warned').waitFor()
  await pane.getByText('Mend it.').waitFor()
  expect(await pane.getByLabel('Statement').inputValue()).toBe('The wall of the second room has a slogan.')
  await pane.getByRole('button', { name: 'Replace that decision' }).click()
  await pane.getByRole('button', { name: 'Decide', exact: true }).click()
  await pane.getByText('In force: Out of the catalogue').waitFor()
  await look('a decided case')

  pane = await as(window, owner, 'inbox')
  const told = pane.getByRole('row', { name: `Taken out of the catalogue: ${name}` })
  await told.getByRole('link', { name: 'Read why' }).click()
  await pane.getByRole('heading', { name: `${name} is out of the catalogue because of our terms` }).waitFor()
  await pane.getByText('The wall of the second room has a slogan.').waitFor()
  await pane.getByRole('button', { name: 'Appeal' }).click()
  await pane.getByLabel('Your appeal').fill('It is the sign of my guild.')
  await look('an appeal')
  await pane.getByRole('button', { name: 'Send the appeal' }).click()
  await pane.getByText('Your appeal is open').waitFor()

  pane = await as(window, eve, `operators/moderation?state=appealed&owner=${owner}`, MODERATE)
  await pane.getByRole('row', { name }).getByText('Appeal by the owner').waitFor()
  await pane.getByRole('row', { name }).click()
  await pane.getByText('It is the sign of my guild.').waitFor()
  await pane.getByText('The appeal is right').click()
  await pane.getByLabel('What the owner will read').fill('It is a guild’s sign indeed.')
  await look('an appealed case')
  await pane.getByRole('button', { name: 'Answer the appeal' }).click()
  await pane.getByText('Lifted: Out of the catalogue').waitFor()
  await pane.getByText('It is a guild’s sign indeed.').waitFor()
  await pane.getByRole('link', { name: 'Moderation', exact: true }).click()
  await pane.getByText('No such case').waitFor()

  pane = await as(window, owner, 'inbox')
  const answered = pane.getByRole('row', { name: 'Your appeal was right' })
  await answered.getByRole('link', { name: 'Read the answer' }).click()
  await pane.getByText('It is a guild’s sign indeed.').waitFor()
  await pane.getByText('This was lifted').waitFor()
  await look('an answered appeal')
  await pane.getByRole('link', { name: 'Decisions about my things' }).click()
  await pane
    .getByRole('row', { name: `${name} was out of the catalogue` })
    .getByText('Appeal was right')
    .waitFor()
  await look('the decisions')

  pane = await as(window, bob, 'inbox')
  await pane.getByRole('row', { name: 'Your report was looked at' }).getByRole('link').click()
  await pane.getByText('Its owner was warned.').waitFor()
  await pane.getByRole('link', { name: 'My reports' }).click()
  await pane.getByRole('row').getByText(name).waitFor()
  await look('the reports')
  expect(looks).toEqual([])
  expect(unexpected(window)).toEqual([])
}

it('leads from a report by a decision and an appeal to its answer, and tells each what happened', () =>
  goToTheAnswer((screen) => screen === 'a case'))

it('looks well on each screen from a report to the answer of an appeal', { tags: 'release' }, () =>
  goToTheAnswer(() => true),
)

it('lets nobody answer an appeal against their own decision', async () => {
  const window = await console_.open()
  const [world, otto] = [await publicWorld(newUser('Cave')), newUser('otto')]
  const { cases } = moderator(otto)
  const { id } = await cases.open({ target: world.target })
  const { id: decision } = await cases.decide({ id, action: 'warn', ground: 'terms', statement: 'Mend it.' })
  await clientOf(world.owner).decisions.appeal({ id: decision, text: 'It is mended.' })
  const pane = await as(window, otto, `operators/moderation/${id}?state=appealed`, MODERATE)
  await pane.getByText('You have made this decision').waitFor()
  expect(await pane.getByRole('button', { name: 'Answer the appeal' }).count()).toBe(0)
  // The console does not know how many moderators there are.
  await pane.getByRole('button', { name: 'Answer it yourself' }).click()
  await pane.getByText('The decision stays').click()
  await pane.getByLabel('What the owner will read').fill('No.')
  await pane.getByRole('button', { name: 'Answer the appeal' }).click()
  await pane.getByRole('alert').getByText('FORBIDDEN').waitFor()
  expect(unexpected(window)).toEqual([])
})

it('shows figures for a report, and prints them', async () => {
  const window = await console_.open()
  const { page } = window
  const pane = await as(window, newUser('eve'), 'operators/moderation', MODERATE)
  await pane.getByRole('link', { name: 'Figures' }).click()
  const row = pane.getByRole('row', { name: /^All reports/ })
  await row.waitFor()
  expect(await faultsOfLook(window, 'the figures')).toEqual([])
  await page.emulateMedia({ media: 'print' })
  for (const unprinted of [
    page.getByRole('tab', { name: 'Files' }),
    pane.getByRole('button', { name: 'Print' }),
  ])
    expect(await unprinted.isVisible()).toBe(false)
  expect(await row.isVisible()).toBe(true)
  await page.emulateMedia({ media: null })
  expect(window.faults).toEqual([])
})

it('goes through the queue by J and K, not while something is typed, and keeps what is written', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const dora = newUser('dora')
  const worlds = [await publicWorld(newUser('one'), dora), await publicWorld(newUser('two'), dora)]
  for (const { target } of worlds) await clientOf(newUser('bob')).reports.create({ target, category: 'spam' })
  const pane = await as(window, newUser('otto'), `operators/moderation?owner=${dora}`, MODERATE)
  const heading = (at: number) => pane.getByRole('heading', { name: worlds[at]?.name ?? '', exact: true })
  await pane.getByRole('row', { name: worlds[0]?.name ?? '' }).click()
  await heading(0).waitFor()
  await pane.getByText('1 of 2').waitFor()
  const statement = pane.getByLabel('Statement')
  await statement.fill('Spam. ')
  await statement.pressSequentially('jk')
  await heading(0).waitFor()
  await pane.getByRole('button', { name: 'Next case' }).focus()
  await page.keyboard.press('j')
  await heading(1).waitFor()
  expect(await statement.inputValue()).toBe('')
  await page.keyboard.press('k')
  await heading(0).waitFor()
  await pane.getByRole('tab', { name: 'Files' }).click()
  await pane.getByRole('tab', { name: 'Operators' }).click()
  await heading(0).waitFor()
  expect(await statement.inputValue()).toBe('Spam. jk')
  await pane.getByText('Leave it as it is').click()
  await pane.getByRole('region', { name: 'Preview' }).getByText('is not told').waitFor()
  await pane.getByRole('button', { name: 'Decide', exact: true }).click()
  await pane.getByText('In force: Left as it is').waitFor()
  await pane.getByRole('button', { name: 'Take it back' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Lift it' }).click()
  await pane.getByText('Lifted: Left as it is').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' }) // which takes the keys until it has gone
  await pane.getByRole('button', { name: 'Next case' }).first().focus()
  await page.keyboard.press('j')
  await heading(1).waitFor()
  expect(window.faults).toEqual([])
})

it('lets whoever reported something appeal when nothing was done, and leads them to the answer', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const world = await publicWorld(newUser('Twig'))
  const bob = newUser('bob')
  await clientOf(bob).reports.create({ target: world.target, category: 'spam', text: 'It is spam.' })
  const studio = moderator()
  const { id } = await studio.cases.open({ target: world.target })
  await studio.cases.decide({ id, action: 'none', ground: 'terms', statement: 'It is a twig.' })
  let pane = await as(window, bob, 'inbox')
  const told = pane.getByRole('row', { name: 'Your report was looked at: left as it is' })
  await told.getByRole('link', { name: 'Open the report' }).click()
  await pane.getByText('A moderator has looked at it, and left it as it is.').waitFor()
  expect(await pane.getByText('It is a twig.').count(), 'the statement is not for reporters').toBe(0)
  await pane.getByRole('button', { name: 'Appeal' }).click()
  await pane.getByLabel('Your appeal').fill('Look from below.')
  await pane.getByRole('button', { name: 'Send the appeal' }).click()
  await pane.getByText('Your appeal is open').waitFor()
  pane = await as(window, newUser('eve'), `operators/moderation/${id}`, MODERATE)
  await pane.getByRole('heading', { name: 'A reporter appeals' }).waitFor()
  await pane.getByText('The decision stays').click()
  await pane.getByLabel('What the reporter will read').fill('It is a twig from below, too.')
  await pane.getByRole('button', { name: 'Answer the appeal' }).click()
  await pane.getByText('A reporter has appealed, and it was upheld').waitFor()
  pane = await as(window, bob, 'inbox')
  await pane.getByRole('row', { name: 'Your appeal was turned down' }).getByRole('link').click()
  await pane.getByText('It is a twig from below, too.').waitFor()
  await expect.poll(() => page.title()).toBe(`Report: ${world.name} · Console`)
  expect(unexpected(window)).toEqual([])
})

it('shows the longest name and the longest statement on a phone, and gives the content for a reason', {
  tags: 'release',
}, async () => {
  const window = await console_.open({ width: 375 })
  const { page } = window
  const world = await publicWorld('W'.repeat(255))
  const statement = `${'w'.repeat(2_500)}\n${'Wall '.repeat(499)}`
  const studio = moderator()
  const { id } = await studio.cases.open({ target: world.target })
  const decision = await studio.cases.decide({ id, action: 'block', ground: 'law', statement })
  let pane = await as(window, newUser('otto'), `operators/moderation/${id}`, MODERATE)
  await pane.getByText('In force: Blocked').waitFor()
  await pane.getByText('Other players don’t see it').waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  await pane.getByRole('button', { name: 'Open the content' }).click()
  await page.getByLabel('Reason', { exact: true }).fill('Is it in the file?')
  await page.getByRole('button', { name: 'Get the link' }).click()
  await page.getByRole('alert').getByText('VERSION_NOT_FOUND').waitFor()
  await page.keyboard.press('Escape')
  const { assets } = clientOf(world.owner)
  await assets.upload({ content: new TextEncoder().encode('for all'), asset_id: world.id })
  const ofIos = { content: new TextEncoder().encode('of ios'), version: 1, platform: 'ios' }
  await assets.upload({ ...ofIos, asset_id: world.id })
  const linked = async (button: string) => {
    await pane.getByRole('button', { name: button }).click()
    await page.getByLabel('Reason', { exact: true }).fill('Is it in the file?')
    if (button === 'Open other content') {
      await page.getByLabel('Version', { exact: true }).fill('1')
      await page.getByLabel('Platform', { exact: true }).fill('ios')
    }
    await page.getByRole('button', { name: 'Get the link' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const link = pane.getByRole('link', { name: 'Open it in a new tab' })
    return (await fetch((await link.getAttribute('href')) ?? '')).text()
  }
  expect(await linked('Open the content')).toBe('for all')
  expect(await linked('Open other content')).toBe('of ios')
  expect(await window.isWiderThanWindow()).toBe(false)
  pane = await as(window, world.owner, `safety/decisions/${decision.id}`)
  await pane.getByRole('heading', { level: 1 }).waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  await pane.getByRole('link', { name: 'Decisions about my things' }).click()
  await pane.getByRole('row', { name: 'is blocked because of the law' }).waitFor()
  expect(await window.isWiderThanWindow()).toBe(false)
  expect(unexpected(window)).toEqual([])
})

it('reports a shared file and its owner, and opens the case of a file and of a player, whose content is given for a reason', {
  tags: 'release',
}, async () => {
  const window = await console_.open()
  const { page } = window
  const [dora, bob] = [newUser('dora'), newUser('bob')]
  const owner = clientOf(dora)
  const bytes = new TextEncoder().encode('a secret')
  const file = await owner.files.upload({ content: bytes, name: 'plan.txt', mime_type: 'text/plain' })
  await owner.shares.create({ id: file.id, grantee_id: bob, permission: 'view' })
  const pane = await as(window, bob, 'shared', [...MODERATE, 'users:read'])
  const report = async (what: string, category: string) => {
    await pane.getByRole('button', { name: 'More for plan.txt' }).click()
    await page.getByRole('menuitem', { name: `Report ${what}` }).click()
    await page.getByRole('dialog').getByText(category).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Report' }).click()
    await page.getByRole('dialog', { name: 'Reported' }).getByRole('button', { name: 'Done' }).click()
  }
  await report('plan.txt', 'Malware')
  await report(dora, 'Harassment')
  await pane.getByRole('button', { name: 'Open a case about plan.txt' }).click()
  await pane.getByRole('region', { name: 'Open reports' }).getByText('Malware').waitFor()
  expect(await pane.getByText('Rate it').count()).toBe(0)
  await pane.getByRole('button', { name: 'Open the content' }).click()
  await page.getByLabel('Reason', { exact: true }).fill('Is it malware?')
  await page.getByRole('button', { name: 'Get the link' }).click()
  const link = pane.getByRole('link', { name: 'Open it in a new tab' })
  const content = await fetch((await link.getAttribute('href')) ?? '')
  expect(await content.text()).toBe('a secret')
  await pane.getByRole('link', { name: dora }).click()
  await pane.getByRole('button', { name: `Open a case about ${dora}` }).click()
  await pane.getByRole('region', { name: 'Open reports' }).getByText('Harassment').waitFor()
  await pane.getByText('Warn the player').waitFor()
  expect(await pane.getByText('Block it').count()).toBe(0)
  expect(await violationsInBothThemes(page)).toEqual([])
  await pane.getByRole('link', { name: 'Their public assets' }).click()
  await pane.getByRole('button', { name: `Report ${dora}` }).click()
  await page.getByRole('dialog', { name: 'You have reported it' }).waitFor()
  expect(unexpected(window)).toEqual([])
})
