import type { SpeechEngine } from '../engine.ts'
import type { SherpaBlock } from '../engine-block.ts'
import { modelKey } from './model-key.ts'
import { openSherpa, type ReadRecording, sherpaConfig } from './sherpa.ts'
import { SherpaModel } from './sherpa-model.ts'

const IDLE_MS = 600_000

interface Lease {
  readonly model: SherpaModel
  users: number
  idle: NodeJS.Timeout | undefined
}

interface ModelsOptions {
  /** Base of relative paths. */
  readonly modelsDir: string
  readonly readRecording: ReadRecording
  readonly idleMs?: number
}

export class SherpaModels {
  readonly #options: ModelsOptions
  readonly #leases = new Map<string, Lease>()

  constructor(options: ModelsOptions) {
    this.#options = options
  }

  async use<T>(block: SherpaBlock, work: (engine: SpeechEngine) => Promise<T>): Promise<T> {
    const { readRecording } = this.#options
    const key = modelKey(block)
    const lease = this.#leases.get(key) ?? { model: this.#open(block), users: 0, idle: undefined }
    this.#leases.set(key, lease)
    lease.users++
    clearTimeout(lease.idle)
    return work(openSherpa(block, lease.model, readRecording)).finally(() => this.#release(key, lease))
  }

  /** @throws FailedAttempt if a file is missing */
  probe(block: SherpaBlock): Promise<void> {
    const lease = this.#leases.get(modelKey(block))
    return (lease?.model ?? this.#open(block)).probe()
  }

  async close(): Promise<void> {
    const leases = [...this.#leases.values()]
    for (const { idle } of leases) clearTimeout(idle)
    await Promise.all(leases.map(({ model }) => model.close()))
  }

  #open(block: SherpaBlock): SherpaModel {
    return new SherpaModel(() => sherpaConfig(block, this.#options.modelsDir), block.slots)
  }

  #release(key: string, lease: Lease): void {
    lease.users--
    if (lease.users > 0) return
    const forget = () => {
      this.#leases.delete(key)
      void lease.model.close()
    }
    lease.idle = setTimeout(forget, this.#options.idleMs ?? IDLE_MS).unref()
  }
}
