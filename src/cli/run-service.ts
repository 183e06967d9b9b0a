import { ConfigError, readSettings } from '../config.ts'
import { installDemoKey } from '../install.ts'
import { openLog } from '../log.ts'
import { openRuntime, type Runtime } from '../runtime.ts'
import { buildApp } from '../server/app.ts'
import { stopOnSignal } from '../server/shutdown.ts'
import { startWorker, type Worker } from '../synthesis/synthesis-worker.ts'
import { startWebhookWorker } from '../webhooks/webhook-worker.ts'

/** What this process does. */
export interface Halves {
  readonly api: boolean
  readonly worker: boolean
  /** On a database without accounts: make the demo account and print its key. */
  readonly demo: boolean
  /** The engine pools of the worker; absent: all. */
  readonly pools?: readonly string[]
}

/** Runs until a signal ends it. */
export async function runService(halves: Halves): Promise<void> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const settings = readSettings(process.env)
    const log = openLog(settings.logLevel)
    const runtime = await openRuntime(settings, log, { supervise: halves.worker })
    closers.push(() => runtime.close())
    stopOnSignal(log, closers)
    // The doors open first and close first: a worker takes its time for both.
    const workers: Pick<Worker, 'stop'>[] = []
    closers.push(() => Promise.all(workers.map((worker) => worker.stop())))
    if (halves.api) {
      const app = await buildApp(runtime)
      closers.push(() => app.close())
      const address = await app.listen({ port: settings.port, host: settings.host })
      runtime.publicUrl = settings.publicUrl ?? address
      print(`Sonant listens on ${address}`, ...(await firstSteps(runtime, halves)))
    }
    if (halves.worker) workers.push(await startWebhookWorker(runtime), await startWorker(runtime, halves))
    if (!halves.api) print('Sonant works')
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(
      error instanceof ConfigError
        ? `The environment is not right:\n${message}\n`
        : `Sonant cannot start: ${message}\n`,
    )
    for (const close of closers.reverse()) await close().catch(() => undefined)
    process.exit(1)
  }
}

/** On a fresh database: the demo account's key, this once, and a line to paste. */
async function firstSteps(runtime: Runtime, halves: Halves): Promise<string[]> {
  const apiKey = halves.demo ? await installDemoKey(runtime.as({ kind: 'system' })) : null
  if (apiKey === null) return []
  const body = JSON.stringify({ inputs: { text: 'Hello! This is Sonant, speaking.', voice: firstVoice(runtime) } })
  return [
    '',
    `The account "demo" has 1,000,000 credits and this API key, which is not shown again: ${apiKey}`,
    'Paste this line to hear it speak:',
    '',
    `curl -sS -X POST ${runtime.publicUrl}/api/v1/voice/tts -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${body}'`,
    '',
  ]
}

const firstVoice = (runtime: Runtime): string | undefined =>
  runtime.catalog.current.endpoints.get('tts')?.voices[0]?.slug

const print = (...lines: string[]): void => {
  process.stdout.write(`${lines.join('\n')}\n`)
}
