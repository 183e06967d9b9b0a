import { spawn } from 'node:child_process'
import { withoutSettings } from '../context/config.ts'

const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' }

/** Tells if a user sits before this terminal with a browser: not over ssh, without a display, or in a build. */
export function hasBrowser(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, isTerminal: boolean): boolean {
  if (!isTerminal || env.CI || env.SSH_CONNECTION || env.SSH_TTY) return false
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false
  return PROGRAMS[platform] !== undefined
}

/** Shows the URL in the user's browser. Without one the URL stands on the terminal, so a failure says nothing. */
export function openBrowser(url: string): void {
  const program = PROGRAMS[process.platform]
  if (program === undefined) return
  const child = spawn(program, [url], { stdio: 'ignore', detached: true, env: withoutSettings(process.env) })
  child.on('error', () => undefined)
  child.unref()
}
