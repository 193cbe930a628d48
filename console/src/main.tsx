import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './tokens.css'
import './base.css'
import './controls/controls.css'
import './shell/shell.css'
import { App } from './shell/app.tsx'

const place = document.getElementById('console')
if (!place) throw new Error('index.html has no element "console".')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
