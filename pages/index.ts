import { copy } from './copy.ts'
import { developmentToken, health } from './health.ts'

const CHECK_EVERY_MS = 15_000

const status = element('#status', HTMLElement)
const form = element('#token-form', HTMLFormElement)
const note = element('#token-note', HTMLElement)

function element<Type extends Element>(selector: string, type: new () => Type): Type {
  const found = document.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`The page has no ${selector}.`)
  return found
}

/** Shows whether the service is well. A hidden page sends no request. */
async function check(): Promise<void> {
  if (document.hidden) return
  const { is_well, is_development, makes_tokens, has_console, detail } = await health()
  status.dataset.health = is_well ? 'good' : 'bad'
  const text = is_well
    ? `The service is up and its database answers.${is_development ? ` This is a development server${makes_tokens ? '' : ': npm run --silent token -- ada prints a token for it'}.` : ''}`
    : detail
  if (status.textContent !== text) status.textContent = text
  if (is_well) element('#development', HTMLElement).hidden = !makes_tokens
  if (is_well) element('#console', HTMLElement).hidden = !has_console
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  try {
    const token = await developmentToken(String(fields.get('user_id')), String(fields.get('scope')))
    element('#token', HTMLElement).textContent = token
    element('#request', HTMLElement).textContent =
      `curl ${location.origin}/v1/quota -H "Authorization: Bearer ${token}"`
    element('#made', HTMLElement).hidden = false
    note.textContent = 'It is valid for a day.'
  } catch (error) {
    note.textContent = error instanceof Error ? error.message : String(error)
  }
})

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copies]'))
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copies ?? '')
    if (text) note.textContent = (await copy(text)) ? 'Copied.' : 'It is selected: copy it with the keyboard.'
  })

document.addEventListener('visibilitychange', check)
setInterval(check, CHECK_EVERY_MS)
await check()
