// Plain JavaScript that any Node.js reads: an old one fails on TypeScript with a stack trace of its own.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'

const NEEDED_MAJOR = 24
const OF_A_SIGNAL = 128
const SHELL_CHECK_MS = 250

export function isOldNode() {
  return Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR
}

/** Ends the process with one sentence where this Node.js is too old to run the service. */
export function refuseOldNode() {
  if (!isOldNode()) return
  process.stderr.write(
    `Sonant needs Node.js ${NEEDED_MAJOR} or newer, and this is ${process.version}: install it; or let npm bring its own, which --omit=dev in a checkout and --omit=optional in a package leave out.\n`,
  )
  process.exit(1)
}

/** The Node.js that a package brings; null where it was left out. */
export function broughtNode() {
  const name = `node-${process.platform}-${process.arch}`
  try {
    const node = join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'bin/node')
    return existsSync(node) ? node : null
  } catch {
    return null
  }
}

/** Runs the same command line by another Node.js, passes signals on, and ends as that one does. */
export function runBy(node) {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    process.stderr.write(`The Node.js of this package cannot run: ${message}.\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => process.exit(code ?? OF_A_SIGNAL + constants.signals[signal]))
}

/** npx runs a command by a shell that dies of a signal to npx without passing it on: what it has begun ends with it. */
export function endWithShellOfNpx() {
  if (process.env.npm_command !== 'exec') return
  const shell = process.ppid
  const check = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(check)
    process.kill(process.pid, 'SIGTERM')
  }, SHELL_CHECK_MS)
  check.unref()
}
