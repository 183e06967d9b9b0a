interface Closable {
  close(): Promise<void>
}

interface Lease<Value> {
  readonly value: Value
  users: number
  idle: NodeJS.Timeout | undefined
}

/** Keeps one value for each key while it has users and for `idleMs` after the last one, then closes it. */
export class Leases<Value extends Closable> {
  readonly #idleMs: number
  readonly #held = new Map<string, Lease<Value>>()

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  get values(): Value[] {
    return [...this.#held.values()].map(({ value }) => value)
  }

  find(key: string): Value | undefined {
    return this.#held.get(key)?.value
  }

  /** @throws the error of `work` */
  async use<T>(key: string, open: () => Value, work: (value: Value, isAlone: boolean) => Promise<T>): Promise<T> {
    const lease = this.#held.get(key) ?? { value: open(), users: 0, idle: undefined }
    this.#held.set(key, lease)
    clearTimeout(lease.idle)
    lease.users++
    try {
      return await work(lease.value, lease.users === 1)
    } finally {
      lease.users--
      if (lease.users === 0) lease.idle = setTimeout(() => this.#close(key, lease), this.#idleMs).unref()
    }
  }

  async close(): Promise<void> {
    for (const { idle } of this.#held.values()) clearTimeout(idle)
    await Promise.all(this.values.map((value) => value.close()))
  }

  #close(key: string, { value }: Lease<Value>): void {
    this.#held.delete(key)
    void value.close()
  }
}
