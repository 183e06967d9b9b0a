export function consoleHeaders(publicUrl: string, bucketUrl: string | null): Readonly<Record<string, string>> {
  const media = [publicUrl, bucketUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])).join(' ')
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `media-src 'self' ${media}`,
    `connect-src 'self' ${media}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
}
