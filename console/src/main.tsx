import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import '../../pages/tokens.css'
import './base.css'
import './controls/controls.css'
import './shell/shell.css'
import { App } from './shell/app.tsx'

const place = document.getElementById('console')
if (!place) throw new Error('index.html has no element "console".')
createRoot(place).render(
  <StrictMode>
    <I18nProvider locale="en-US">
      <App />
    </I18nProvider>
  </StrictMode>,
)
