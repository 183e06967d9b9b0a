/** No type with scripts, which would act in the name of the service's origin. */
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

export function safeContentType(type: string): string {
  const essence = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return Object.hasOwn(EXTENSIONS, essence) ? essence : ANYTHING_ELSE
}

export const extensionOf = (contentType: string): string => EXTENSIONS[contentType] ?? '.bin'
