import type { Semaphore } from '../concurrency/semaphore.ts'
import { renderSpan } from '../telemetry/span-names.ts'
import { inStepSpan } from '../telemetry/spans.ts'
import { NO_TELEMETRY, type Telemetry } from '../telemetry/telemetry.ts'
import type { Log } from '../values/log.ts'
import type { Speech, SpeechEngine, SpeechRequest } from './engine.ts'
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
import { type Follow, measureRequest, serverName } from './measure-request.ts'
import type { KeyParts } from './server-key.ts'
import type { SherpaModels } from './sherpa/sherpa.ts'
import type { ModelState } from './sherpa/sherpa-model.ts'
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
  /**
   * Has the engine speak besides its jobs. Null if it has no free slot, or would have to load a model.
   * @throws EngineError; the signal's reason; ZodError for an invalid block
   */
  ask(block: unknown, request: SpeechRequest): Promise<Speech | null>
  /** Tells of a model that processes of this one hold; null for other engines. @throws ZodError for an invalid block */
  modelState(block: unknown): ModelState | null
  /** Never rejects. */
  warm(): Promise<void>
  close(): Promise<void>
}

interface EngineOptions extends KeyParts {
  readonly threads: number
  readonly log: Log
  /** Follows the requests of `use`. @param address null: the engine is inside this process */
  readonly follow?: (block: unknown, address: string | null) => ReturnType<Follow<Speech>>
  /** Absent: the lowest limit of the blocks in use. */
  readonly slotsAt?: (baseUrl: string) => Semaphore
  readonly owned?: OwnedServer
  readonly modelsDir?: string
  /** The models of this process together hold at most this; absent: half of the machine's memory. */
  readonly modelsBytes?: number | undefined
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
  #openedModels: SherpaModels | undefined

  constructor(options: EngineOptions) {
    this.#options = options
    this.#servers = new Leases(options.idleMs ?? IDLE_MS)
    this.#telemetry = options.telemetry ?? NO_TELEMETRY
    this.#espeak = options.espeak ?? openEspeak(options)
    this.#unread = this.#telemetry.gauge('engine_down', () => this.#down())
  }

  async use<T>(given: unknown, work: (engine: SpeechEngine) => Promise<T>): Promise<T> {
    const block: EngineBlock = engineBlock.parse(given)
    const follow = (address: string | null) => this.#follow(given, address)
    if (block.kind === 'espeak') return work(this.#measured(this.#espeak, 'espeak', follow(null)))
    return block.kind === 'sherpa-onnx'
      ? this.#useModel(block, (engine) => work(this.#measured(engine, 'sherpa-onnx', follow(null))))
      : this.#useServers(block, work, ({ base_url: address }) => follow(address))
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

  async ask(given: unknown, request: SpeechRequest): Promise<Speech | null> {
    const block: EngineBlock = engineBlock.parse(given)
    if (block.kind === 'espeak') return this.#espeak.speak(request)
    if (block.kind === 'sherpa-onnx') return null
    const { speakBeside } = await import('./openai-speech.ts')
    return this.#atServers(serverBlocksOf(block), async ([own]) => (own ? speakBeside(own, request) : null))
  }

  modelState(given: unknown): ModelState | null {
    const block: EngineBlock = engineBlock.parse(given)
    if (block.kind !== 'sherpa-onnx') return null
    return this.#openedModels?.stateOf(block) ?? 'cold'
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
    return (await this.#sherpa()).use(block, work)
  }

  #follow(block: unknown, address: string | null): Follow<Speech> | undefined {
    const { follow } = this.#options
    return follow && (() => follow(block, address))
  }

  #sherpa(): Promise<SherpaModels> {
    const { modelsDir = '', modelsBytes } = this.#options
    this.#models ??= import('./sherpa/sherpa.ts').then(({ SherpaModels }) => {
      this.#openedModels = new SherpaModels(modelsDir, modelsBytes)
      return this.#openedModels
    })
    return this.#models
  }

  async #useServers<T>(
    block: OpenaiSpeechBlock,
    work: (engine: SpeechEngine) => Promise<T>,
    followAt: (block: SpeechServerBlock) => Follow<Speech> | undefined,
  ): Promise<T> {
    const { openOpenaiSpeech, speakProbe } = await import('./openai-speech.ts')
    const blocks = serverBlocksOf(block)
    const probeOf = ({ probe }: SpeechRequest): Probe | undefined => {
      const request = probe?.()
      if (request === undefined) return undefined
      // A server that was started again has another address.
      return (signal) => this.#atServers(blocks, async ([own]) => own && speakProbe(own, { ...request, signal }))
    }
    return this.#atServers(blocks, (connections) =>
      work(openOpenaiSpeech(connections, this.#telemetry, probeOf, followAt)),
    )
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

  #measured(engine: SpeechEngine, kind: 'espeak' | 'sherpa-onnx', follow: Follow<Speech> | undefined): SpeechEngine {
    const measured = { telemetry: this.#telemetry, kind, server: kind, follow }
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
