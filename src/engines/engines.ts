import type { Semaphore } from '../concurrency/semaphore.ts'
import { renderSpan } from '../telemetry/span-names.ts'
import { inStepSpan } from '../telemetry/spans.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import type { Log } from '../values/log.ts'
import type { SpeechEngine, SpeechRequest } from './engine.ts'
import {
  addressOf,
  type EngineBlock,
  engineBlock,
  NO_OWNED_SERVER,
  type OpenaiSpeechBlock,
  OWNED_SERVER,
  type OwnedServer,
  type Probe,
  type SherpaBlock,
  type SpeechServerBlock,
  serverBlocksOf,
} from './engine-block.ts'
import { type EspeakEngine, openEspeak } from './espeak/espeak.ts'
import type { Connection } from './exchange.ts'
import { Leases } from './leases.ts'
import { measureRequest, serverName } from './measure-request.ts'
import type { KeyParts } from './server-key.ts'
import type { SherpaModels } from './sherpa/sherpa.ts'
import type { SpeechServer } from './speech-server.ts'

const IDLE_MS = 60_000

export interface Engines {
  /** @throws the error of `work`; ZodError for an invalid block */
  use<T>(block: unknown, work: (engine: SpeechEngine) => Promise<T>): Promise<T>
  /**
   * Asks whether the engine is there, without rendering. Returns whether it could tell.
   * @throws EngineError PROVIDER_UNAVAILABLE; ZodError for an invalid block
   */
  probe(block: unknown): Promise<boolean>
  /** Never rejects. */
  warm(): Promise<void>
  close(): Promise<void>
}

interface EngineOptions extends KeyParts {
  readonly threads: number
  readonly log: Log
  /** Absent: the lowest limit of the blocks in use. */
  readonly slotsAt?: (baseUrl: string) => Semaphore
  readonly owned?: OwnedServer
  readonly modelsDir?: string
  readonly idleMs?: number
  readonly telemetry?: Telemetry
  /** The opener of this engine closes it. */
  readonly espeak?: EspeakEngine
}

/** Endpoints on one server share it and the lowest of their limits. */
export const openEngines = (options: EngineOptions): Engines => new SharedEngines(options)

class SharedEngines implements Engines {
  readonly #options: EngineOptions
  readonly #espeak: EspeakEngine
  readonly #servers: Leases<SpeechServer>
  readonly #telemetry: Telemetry
  readonly #unread: () => void
  #models: Promise<SherpaModels> | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#servers = new Leases(options.idleMs ?? IDLE_MS)
    this.#telemetry = options.telemetry ?? NO_TELEMETRY
    this.#espeak = options.espeak ?? openEspeak(options)
    this.#unread = this.#telemetry.gauge('engine_down', () => this.#down())
  }

  async use<T>(given: unknown, work: (engine: SpeechEngine) => Promise<T>): Promise<T> {
    const block: EngineBlock = engineBlock.parse(given)
    if (block.kind === 'espeak') return work(this.#measured(this.#espeak, 'espeak'))
    return block.kind === 'sherpa-onnx' ? this.#useModel(block, work) : this.#useServers(block, work)
  }

  async probe(given: unknown): Promise<boolean> {
    const block: EngineBlock = engineBlock.parse(given)
    if (block.kind === 'sherpa-onnx') await (await this.#sherpa()).probe(block)
    if (block.kind !== 'openai-speech') return true
    const { probeSpeechServer } = await import('./openai-speech.ts')
    const told = await this.#atServers(serverBlocksOf(block), (connections) =>
      Promise.all(connections.map(probeSpeechServer)),
    )
    return told.every(Boolean)
  }

  warm(): Promise<void> {
    return this.#espeak.warm()
  }

  async close(): Promise<void> {
    this.#unread()
    const models = this.#models?.then((opened) => opened.close())
    const espeak = this.#options.espeak === undefined ? this.#espeak.close() : undefined
    await Promise.all([espeak, models, this.#servers.close()])
  }

  async #useModel<T>(block: SherpaBlock, work: (engine: SpeechEngine) => Promise<T>): Promise<T> {
    return (await this.#sherpa()).use(block, (engine) => work(this.#measured(engine, 'sherpa-onnx')))
  }

  #sherpa(): Promise<SherpaModels> {
    const { modelsDir = '' } = this.#options
    this.#models ??= import('./sherpa/sherpa.ts').then(({ SherpaModels }) => new SherpaModels(modelsDir))
    return this.#models
  }

  async #useServers<T>(block: OpenaiSpeechBlock, work: (engine: SpeechEngine) => Promise<T>): Promise<T> {
    const { openOpenaiSpeech, speakProbe } = await import('./openai-speech.ts')
    const blocks = serverBlocksOf(block)
    const probeOf = ({ probe }: SpeechRequest): Probe | undefined => {
      const request = probe?.()
      if (request === undefined) return undefined
      // A server that was started again has another address.
      return (signal) => this.#atServers(blocks, async ([own]) => own && speakProbe(own, { ...request, signal }))
    }
    return this.#atServers(blocks, (connections) => work(openOpenaiSpeech(connections, this.#telemetry, probeOf)))
  }

  async #atServers<T>(
    [block, ...others]: readonly SpeechServerBlock[],
    work: (connections: readonly Connection[]) => Promise<T>,
  ): Promise<T> {
    if (block === undefined) return work([])
    const { lookUp, vault } = this.#options
    const keys = { lookUp, ...(vault && { vault }) }
    return this.#atServer(block, (server) =>
      this.#atServers(others, (connections) => work([{ block, server, ...keys }, ...connections])),
    )
  }

  async #atServer<T>(block: SpeechServerBlock, work: (server: SpeechServer) => Promise<T>): Promise<T> {
    const { SpeechServer } = await import('./speech-server.ts')
    const { owned = NO_OWNED_SERVER } = this.#options
    const isOwned = block.base_url === OWNED_SERVER
    const key = addressOf(block.base_url, owned)
    const slots = () => this.#options.slotsAt?.(isOwned ? OWNED_SERVER : key)
    const open = () => new SpeechServer(key, slots(), isOwned ? owned : undefined)
    return this.#servers.use(key, open, (server, isAlone) => {
      server.mostAtOnce = Math.min(block.max_in_flight, isAlone ? Number.POSITIVE_INFINITY : server.mostAtOnce)
      return work(server)
    })
  }

  #measured(engine: SpeechEngine, kind: 'espeak' | 'sherpa-onnx'): SpeechEngine {
    const measured = { telemetry: this.#telemetry, kind, server: kind }
    const speak: SpeechEngine['speak'] = (request) =>
      inStepSpan(
        () => renderSpan(kind),
        () => measureRequest(measured, request.signal, () => engine.speak(request), request.judge),
      )
    return { ...engine, speak }
  }

  #down() {
    return this.#servers.values.map(({ baseUrl, breaker }) => ({
      labels: { server: serverName(baseUrl) },
      value: Number(breaker.isOpen),
    }))
  }
}
