import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { serveApi } from '../../src/cli/serve-api.ts'
import type { Opened } from '../../src/runtime/shutdown.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const NATURAL = `endpoints:
  - slug: natural
    name: Natural
    inputs: {type: object, additionalProperties: false, required: [text, voice], properties: {text: {type: string}, voice: {type: string}}}
    engine: {kind: openai-speech, base_url: 'http://127.0.0.1:9', model: any}
    voices: [{slug: ann, name: Ann, kind: preset, engine_voice: ann}]
`

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

/** The lines that a start prints. */
async function started(): Promise<readonly string[]> {
  const opened: Opened = { starting: Promise.resolve(), working: [], ground: [] }
  const { lines } = await serveApi(service.runtime, opened, { readiness: service.readiness, demo: true, opens: false })
  for (const { close } of opened.working) await close()
  return lines
}

test('a start says how to get a natural voice, as long as there is none', async () => {
  const hint = expect.stringMatching(
    /^(3\. )?All voices are robotic ones\. A natural one: npx sonant models pull kokoro /,
  )
  expect(await started()).toContainEqual(hint)
  const ctx = service.runtime.as({ kind: 'system' })
  await applyEndpoints(ctx, { source: NATURAL, readAudio: () => Promise.reject(new Error('no recordings')) })
  expect(await started()).not.toContainEqual(hint)
})
