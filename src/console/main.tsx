import './style/main.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { reloadWhereFilesAreGone } from './shell/new-version.ts'

reloadWhereFilesAreGone()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
