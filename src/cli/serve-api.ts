import { installDemo } from '../runtime/install.ts'
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
}

/** Starts the HTTP server. @returns lines for the operator's terminal */
export async function serveApi(runtime: Runtime, opened: Opened, { readiness, demo }: Served): Promise<string[]> {
  const app = await buildApp(runtime, { readiness })
  opened.working.push({ what: 'the HTTP server', close: () => app.close() })
  const address = await listen(app, runtime.settings)
  await recordPublicUrl(runtime, runtime.settings.publicUrl ?? address)
  return [`Sonant listens on ${address}`, ...(demo ? [...naturalVoice(runtime), ...(await firstSteps(runtime))] : [])]
}

/** One line as long as only the built-in engine speaks. */
function naturalVoice({ catalog }: Runtime): string[] {
  const isNatural = [...catalog.current.endpoints.values()].some(({ engine }) => engine.kind !== 'espeak')
  return isNatural ? [] : [`All voices are robotic ones. A natural one: ${commandLine('models pull kokoro')} (132 MB)`]
}

async function firstSteps(runtime: Runtime): Promise<string[]> {
  const installed = await installDemo(runtime.as({ kind: 'system' }))
  if (installed === null) return []
  const { apiKey, owner } = installed
  const body = JSON.stringify({ inputs: { text: 'Hello! This is Sonant, speaking.', voice: firstVoice(runtime) } })
  return [
    '',
    `The account "demo" has 1,000,000 credits and this API key, which is not shown again: ${apiKey}`,
    'Paste this line to submit a text; the console plays it:',
    '',
    `curl -sS -X POST ${runtime.publicUrl}/api/v1/voice/tts -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'; echo`,
    '',
    `Console: ${await wayIntoConsole(runtime, owner)}`,
    '',
  ]
}

/** Security: a link is printed only on loopback, because a collector may store the output elsewhere. */
async function wayIntoConsole(runtime: Runtime, user: string): Promise<string> {
  if (!isLoopback(runtime.settings.host)) return commandLine(`users sign-in-link ${user}`)
  return (await createSignInLink(runtime.as({ kind: 'system' }), { user })).url
}

const firstVoice = (runtime: Runtime): string | undefined =>
  runtime.catalog.current.endpoints.get('tts')?.voices[0]?.slug
