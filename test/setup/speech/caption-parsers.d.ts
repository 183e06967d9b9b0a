declare module 'webvtt-parser' {
  const parsers: {
    readonly WebVTTParser: new () => {
      parse(
        text: string,
        mode: 'metadata',
      ): {
        readonly cues: readonly { readonly startTime: number; readonly endTime: number; readonly text: string }[]
        readonly errors: readonly { readonly message: string; readonly line: number }[]
      }
    }
  }
  export = parsers
}

declare module 'node-webvtt' {
  interface Cue {
    readonly start: number
    readonly end: number
    readonly text: string
  }
  const webvtt: { parse(text: string, options: { strict: boolean }): { readonly cues: readonly Cue[] } }
  export = webvtt
}
