/**
 * Types that a browser shows without running anything of them: outputs are served from the service's own address, where a page or
 * a drawing with scripts would act in its name.
 */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/webp': '.webp',
  'image/gif': '.gif',
  'image/avif': '.avif',
  'audio/wav': '.wav',
  'audio/x-wav': '.wav',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'audio/flac': '.flac',
  'audio/mp4': '.m4a',
  'video/mp4': '.mp4',
  'video/webm': '.webm',
  'video/quicktime': '.mov',
  'text/plain': '.txt',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/zip': '.zip',
  'model/gltf-binary': '.glb',
}
const ANYTHING_ELSE = 'application/octet-stream'

/** The type that an output is stored and served as: what the engine says where that is harmless, else bytes to download. */
export function safeContentType(type: string): string {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return Object.hasOwn(EXTENSIONS, essence) ? essence : ANYTHING_ELSE
}

/** With its dot. */
export const extensionOf = (contentType: string): string => EXTENSIONS[contentType] ?? '.bin'
