import { type Demo, installDemo, newDemoOwner } from '../runtime/install.ts'
import { recordPublicUrl } from '../runtime/public-url.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { Opened } from '../runtime/shutdown.ts'
import { buildApp } from '../server/app.ts'
import { listen } from '../server/listen.ts'
import type { Readiness } from '../server/readiness.ts'
import { createSignInLink } from '../users/sign-in-link.ts'
import { isLoopback } from '../values/loopback.ts'
import { commandLine } from '../values/program.ts'

interface Served {
  readonly readiness: Readiness
  readonly demo: boolean
  /** A browser of this machine is about to open the console. */
  readonly opens: boolean
}

interface Serving {
  /** For the operator's terminal. */
  readonly lines: readonly string[]
  /** The console, signed in where nobody has a password yet. */
  readonly console: string
}

/** Starts the HTTP server. */
export async function serveApi(runtime: Runtime, opened: Opened, served: Served): Promise<Serving> {
  const app = await buildApp(runtime, { readiness: served.readiness })
  opened.working.push({ what: 'the HTTP server', close: () => app.close() })
  const address = await listen(app, runtime.settings)
  await recordPublicUrl(runtime, runtime.settings.publicUrl ?? address)
  const listens = `Sonant listens on ${address}`
  const system = runtime.as({ kind: 'system' })
  const demo = served.demo ? await installDemo(system, isLoopback(runtime.settings.host)) : null
  const steps = demo === null ? null : await firstSteps(runtime, demo)
  const hint = served.demo ? naturalVoice(runtime) : []
  return {
    lines: steps === null ? [listens, ...hint] : [listens, ...steps.lines, ...numbered(3, hint), ''],
    console: steps?.console ?? (served.opens ? await wayIntoConsole(runtime) : ''),
  }
}

/** One line as long as only the built-in engine speaks. */
function naturalVoice({ catalog }: Runtime): string[] {
  const isNatural = [...catalog.current.endpoints.values()].some(({ engine }) => engine.kind !== 'espeak')
  return isNatural ? [] : [`All voices are robotic ones. A natural one: ${commandLine('models pull kokoro')} (132 MB)`]
}

const numbered = (number: number, lines: readonly string[]): string[] =>
  lines.flatMap((line) => ['', `${number}. ${line}`])

/** Tells the operator three things to do, each with its link, key or command. */
async function firstSteps(runtime: Runtime, { apiKey, owner }: Demo): Promise<{ lines: string[]; console: string }> {
  const body = JSON.stringify({ inputs: { text: 'Hello! This is Sonant, speaking.', voice: firstVoice(runtime) } })
  const link = await linkOf(runtime, owner)
  const lines = [
    ...numbered(1, ['Listen. This link opens the console, signed in, once:']),
    `Console: ${link ?? commandLine(`users sign-in-link ${owner}`)}`,
    ...numbered(2, [
      'Speak from a program. The account "demo" has 1,000,000 credits and this key, which is shown once:',
    ]),
    `curl -sS -X POST ${runtime.publicUrl}/api/v1/voice/tts -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'; echo`,
  ]
  return { lines, console: link ?? homeOf(runtime) }
}

const homeOf = ({ publicUrl }: Runtime): string => `${publicUrl}/console`

/** A later start signs the demo's owner in as long as they have no password; who has one is signed in by the browser's cookie. */
async function wayIntoConsole(runtime: Runtime): Promise<string> {
  const owner = await newDemoOwner(runtime.as({ kind: 'system' }))
  return (owner === null ? null : await linkOf(runtime, owner)) ?? homeOf(runtime)
}

/** Security: a link is made only on loopback, because a collector may store the output elsewhere. */
async function linkOf(runtime: Runtime, user: string): Promise<string | null> {
  if (!isLoopback(runtime.settings.host)) return null
  return (await createSignInLink(runtime.as({ kind: 'system' }), { user })).url
}

const firstVoice = (runtime: Runtime): string | undefined =>
  runtime.catalog.current.endpoints.get('tts')?.voices[0]?.slug
