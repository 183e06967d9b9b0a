import type { Log } from '../log.ts'
import type { SpeechEngine } from './engine.ts'
import { type EspeakEngine, openEspeak } from './espeak.ts'

/** Kinds of engine that an endpoint's `engine` block may name (contract.md section 9). */
export const ENGINE_KINDS = ['espeak'] as const
export type EngineKind = (typeof ENGINE_KINDS)[number]

/** Every engine that this process renders with, by kind. */
export type Engines = Readonly<Record<EngineKind, SpeechEngine>> & { readonly espeak: EspeakEngine }

/** @param threads how many renderings the embedded engine runs at once: one a core */
export const openEngines = (options: { readonly threads: number; readonly log: Log }): Engines => ({
  espeak: openEspeak(options),
})

export const closeEngines = async (engines: Engines): Promise<void> => {
  await Promise.all(Object.values(engines).map((engine) => engine.close()))
}
