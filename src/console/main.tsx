import './style/main.css'
import { render } from 'preact'
import { startClock } from './api/clock.ts'
import { App, preloadScreen } from './app.tsx'
import { holdButtons } from './parts/hold-buttons.ts'

// WebKit without LANG says that its language is "C", which the charts' library hands to Intl as it loads.
try {
  Intl.getCanonicalLocales(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' })
}
startClock()
holdButtons()
preloadScreen()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
