declare module '@echogarden/espeak-ng-emscripten' {
  /** Strings may be pointers into the module's memory. */
  export interface EspeakWorker {
    set_voice(namePointer: number): number
    set_rate(wordsPerMinute: number): void
    set_pitch(pitch: number): void
    set_range(range: number): void
    set_volume(volume: number): void
    get_samplerate(): number
    synth_(textPointer: number, callbackPointer: number): void
  }

  export interface EspeakModule {
    readonly HEAPU8: Uint8Array<ArrayBuffer>
    readonly FS: {
      readdir(path: string): string[]
      open(...how: unknown[]): { readonly node: { readonly contents?: Uint8Array } }
    }
    readonly eSpeakNGWorker: new () => EspeakWorker
    _malloc(bytes: number): number
    addFunction(callback: (samplesPointer: number, samples: number, eventsPointer: number) => number): number
  }

  export interface EspeakOptions {
    getPreloadedPackage?(path: string, bytes: number): ArrayBuffer
  }

  const load: (options?: EspeakOptions) => Promise<EspeakModule>

  // biome-ignore lint/style/noDefaultExport: this is what the package exports
  export default load
}
