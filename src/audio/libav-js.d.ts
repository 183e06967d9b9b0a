declare module '@libav.js/variant-default' {
  /** Times count in units of 1 / rate. */
  export interface Frame {
    readonly data: Int16Array | Float32Array | readonly (Int16Array | Float32Array)[]
    readonly format: number
    readonly sample_rate: number
    readonly channel_layout: number
    readonly channels?: number
    readonly nb_samples: number
    readonly pts: number
    readonly ptshi: number
    readonly time_base_num: number
    readonly time_base_den: number
  }

  export interface FilterSettings {
    readonly type: 1
    readonly sample_rate: number
    readonly sample_fmt: number
    readonly channel_layout: number
    readonly frame_size?: number
    readonly time_base: readonly [number, number]
  }

  export interface Stream {
    readonly index: number
    readonly codec_id: number
    readonly codec_type: number
    readonly codecpar: number
  }

  export type Packet = object

  /** Synchronous, in the calling thread. */
  export interface LibAV {
    /** The bytes are the library's own memory. */
    onwrite?: (name: string, position: number, bytes: Uint8Array) => void
    /** Replaced by another array when the memory grows. */
    readonly HEAPU8: Uint8Array
    readonly AV_SAMPLE_FMT_S16: number
    readonly AV_SAMPLE_FMT_FLT: number
    readonly AVMEDIA_TYPE_AUDIO: number
    readonly AV_LOG_QUIET: number
    readonly EAGAIN: number
    av_log_set_level_sync(level: number): void
    ff_init_encoder_sync(
      name: string,
      options: { readonly ctx: object; readonly time_base: readonly [number, number]; readonly options?: object },
    ): [codec: number, context: number, frame: number, packet: number, frameSize: number]
    ff_init_filter_graph_sync(
      filters: string,
      input: FilterSettings,
      output: FilterSettings,
    ): [graph: number, source: number, sink: number]
    ff_init_muxer_sync(
      options: { readonly format_name: string; readonly filename: string; readonly device: true; readonly open: true },
      streams: readonly (readonly [context: number, timeBaseNum: number, timeBaseDen: number])[],
    ): [context: number, format: number, io: number]
    avformat_write_header_sync(context: number, options: number): number
    ff_filter_multi_sync(
      source: number,
      sink: number,
      frame: number,
      frames: readonly Frame[],
      isLast: boolean,
    ): readonly Frame[]
    ff_encode_multi_sync(
      context: number,
      frame: number,
      packet: number,
      frames: readonly Frame[],
      isLast: boolean,
    ): readonly Packet[]
    ff_write_multi_sync(context: number, packet: number, packets: readonly Packet[]): void
    av_write_trailer_sync(context: number): number
    avio_flush_sync(io: number): void
    ff_free_muxer_sync(context: number, io: number): void
    ff_free_encoder_sync(context: number, frame: number, packet: number): void
    avfilter_graph_free_js_sync(graph: number): void
    av_frame_alloc_sync(): number
    av_frame_free_js_sync(frame: number): void
    writeFile_sync(name: string, bytes: Uint8Array): void
    unlink_sync(name: string): void
    ff_init_demuxer_file(name: string): Promise<[context: number, streams: readonly Stream[]]>
    ff_init_decoder_sync(
      codec: number,
      parameters: number,
    ): [codec: number, context: number, packet: number, frame: number]
    ff_read_frame_multi(
      context: number,
      packet: number,
      options?: { readonly limit: number },
    ): Promise<[result: number, packets: Readonly<Record<number, readonly Packet[]>>]>
    ff_decode_multi_sync(
      context: number,
      packet: number,
      frame: number,
      packets: readonly Packet[],
      options: { readonly fin: boolean; readonly ignoreErrors?: boolean },
    ): readonly Frame[]
    ff_free_decoder_sync(context: number, packet: number, frame: number): void
    avformat_close_input_js_sync(context: number): void
  }

  const library: { LibAV(options: { readonly noworker: true }): Promise<LibAV> }

  // biome-ignore lint/style/noDefaultExport: this is what the package exports
  export default library
}
