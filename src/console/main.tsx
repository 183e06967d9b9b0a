import './style/main.css'
import { render } from 'preact'
import { startClock } from './api/clock.ts'
import { App, preloadScreen } from './app.tsx'

startClock()
preloadScreen()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
