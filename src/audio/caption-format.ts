export const CAPTION_FORMATS = ['vtt', 'srt', 'json'] as const
export type CaptionFormat = (typeof CAPTION_FORMATS)[number]

export const CAPTION_TYPES: Readonly<Record<CaptionFormat, string>> = {
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

export const isCaptionFormat = (value: unknown): value is CaptionFormat =>
  CAPTION_FORMATS.some((format) => format === value)

export const captionOutput = (format: CaptionFormat): string => `captions_${format}`
