const MODULE_NAME = 'wasi_snapshot_preview1'
const FOLDER = 3
const FILE = 4
const TYPES: Readonly<Record<number, number>> = { [FOLDER]: 3, [FILE]: 4 }
const OTHER_TYPE = 2
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn
const [DONE, BAD_DESCRIPTOR, NOT_SEEKABLE] = [0, 8, 70]
export const OUTPUT = '/speech.wav'

const MOST_KEPT_BYTES = 64 * 1024 * 1024

/** Runs flite's command line and returns what it writes to `OUTPUT`; nothing else of the system is there. @throws if it fails */
export type FliteProgram = (args: readonly string[]) => Buffer

export function openProgram(module: WebAssembly.Module): FliteProgram {
  let kept: Program | undefined
  return (args) => {
    const program = kept ?? new Program(module)
    // A failure leaves the compiled code's stack unbalanced.
    kept = undefined
    const written = program.run(args)
    if (program.bytes <= MOST_KEPT_BYTES) kept = program
    return written
  }
}

/** Every run starts from the same memory, so that no text hears of another. */
class Program {
  readonly #system = new System()
  readonly #memory: WebAssembly.Memory
  readonly #start: () => void
  readonly #pristine: Uint8Array

  constructor(module: WebAssembly.Module) {
    const { exports } = new WebAssembly.Instance(module, { [MODULE_NAME]: this.#system.calls() })
    this.#memory = exports.memory as WebAssembly.Memory
    this.#start = exports._start as () => void
    this.#pristine = new Uint8Array(this.#memory.buffer).slice()
    this.#system.memory = this.#memory
  }

  get bytes(): number {
    return this.#memory.buffer.byteLength
  }

  run(args: readonly string[]): Buffer {
    const memory = new Uint8Array(this.#memory.buffer)
    memory.set(this.#pristine)
    memory.fill(0, this.#pristine.length)
    this.#system.begin(['flite', ...args])
    this.#start()
    return Buffer.concat(this.#system.written)
  }
}

/** The calls of WASI preview 1 that flite makes. */
class System {
  memory: WebAssembly.Memory | undefined
  written: Buffer[] = []
  #args: readonly Buffer[] = []

  begin(args: readonly string[]): void {
    this.written = []
    this.#args = args.map((arg) => Buffer.from(`${arg}\0`))
  }

  calls(): WebAssembly.ModuleImports {
    return {
      args_sizes_get: (count: number, size: number) => {
        this.#set(count, this.#args.length)
        return this.#set(size, Buffer.concat(this.#args).length)
      },
      args_get: (pointers: number, bytes: number) => this.#writeArgs(pointers, bytes),
      clock_time_get: (_clock: number, _precision: bigint, at: number) => this.#setLong(at, 0n),
      fd_close: () => DONE,
      fd_fdstat_get: (descriptor: number, at: number) => this.#describe(descriptor, at),
      fd_fdstat_set_flags: () => DONE,
      fd_prestat_get: (descriptor: number, at: number) =>
        descriptor === FOLDER ? this.#set(at, 0) || this.#set(at + 4, 1) : BAD_DESCRIPTOR,
      fd_prestat_dir_name: (_descriptor: number, at: number) => this.#put(at, Buffer.from('/')),
      fd_read: (_descriptor: number, _buffers: number, _count: number, read: number) => this.#set(read, 0),
      fd_seek: () => NOT_SEEKABLE,
      fd_write: (descriptor: number, buffers: number, count: number, written: number) =>
        this.#set(written, this.#write(descriptor, buffers, count)),
      path_open: (...given: number[]) => this.#set(given.at(-1)!, FILE),
      proc_exit: (code: number) => {
        throw new Error(`flite ended with code ${code}`)
      },
    }
  }

  get #view(): DataView {
    return new DataView(this.memory!.buffer)
  }

  #set(at: number, value: number): number {
    this.#view.setUint32(at, value, true)
    return DONE
  }

  #setLong(at: number, value: bigint): number {
    this.#view.setBigUint64(at, value, true)
    return DONE
  }

  #put(at: number, bytes: Buffer): number {
    new Uint8Array(this.memory!.buffer).set(bytes, at)
    return DONE
  }

  #writeArgs(pointers: number, bytes: number): number {
    let at = bytes
    for (const [index, arg] of this.#args.entries()) {
      this.#set(pointers + 4 * index, at)
      this.#put(at, arg)
      at += arg.length
    }
    return DONE
  }

  #describe(descriptor: number, at: number): number {
    this.#setLong(at, BigInt(TYPES[descriptor] ?? OTHER_TYPE))
    this.#setLong(at + 8, ALL_RIGHTS)
    return this.#setLong(at + 16, ALL_RIGHTS)
  }

  #write(descriptor: number, buffers: number, count: number): number {
    let total = 0
    for (let at = buffers; at < buffers + 8 * count; at += 8) {
      const [from, length] = [this.#view.getUint32(at, true), this.#view.getUint32(at + 4, true)]
      if (descriptor === FILE) this.written.push(Buffer.from(this.memory!.buffer.slice(from, from + length)))
      total += length
    }
    return total
  }
}
