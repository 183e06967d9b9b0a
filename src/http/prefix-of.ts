export const prefixOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')
