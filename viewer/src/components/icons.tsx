// Icons: 20 × 20, drawn with the colour of the text.
const paths = {
  play: "M6 4l10 6-10 6z",
  pause: "M6 4h3v12H6zM11 4h3v12h-3z",
  reverse: "M14 4L4 10l10 6z",
  back: "M14.5 5L8 10l6.5 5zM5 5h2v10H5z",
  next: "M5.5 5L12 10l-6.5 5zM13 5h2v10h-2z",
  begin: "M16 5l-5 5 5 5zM10 5l-5 5 5 5zM3 5h1.6v10H3z",
  end: "M4 5l5 5-5 5zM10 5l5 5-5 5zM15.4 5H17v10h-1.6z",
} as const;

const lines = {
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  close: "M5 5l10 10M15 5L5 15",
  search: "M9 4a5 5 0 100 10A5 5 0 009 4zM13 13l4 4",
  share: "M10 12V3M6.5 6L10 2.5 13.5 6M4 10v6h12v-6",
  help: "M7.5 7.5a2.5 2.5 0 113.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.4v.2",
  fit: "M4 8V4h4M16 8V4h-4M4 12v4h4M16 12v4h-4",
  loop: "M5 9a4 4 0 014-4h6M13 2.5L15.5 5 13 7.5M15 11a4 4 0 01-4 4H5M7 17.5L4.5 15 7 12.5",
  bookmark: "M6 3.5h8v13l-4-3.2-4 3.2z",
  sun: "M10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.3 4.3l1.1 1.1M14.6 14.6l1.1 1.1M15.7 4.3l-1.1 1.1M5.4 14.6l-1.1 1.1",
  moon: "M15.5 11.5A6 6 0 018.5 4.5a6 6 0 107 7z",
  auto: "M10 3.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM10 3.5v13M10 7l4.8 0M10 10.2h6.4M10 13.4h4.6",
  eye: "M2.5 10S5 5.5 10 5.5 17.5 10 17.5 10 15 14.5 10 14.5 2.5 10 2.5 10zM10 8a2 2 0 100 4 2 2 0 000-4z",
  eyeOff: "M2.5 10S5 5.5 10 5.5 17.5 10 17.5 10 15 14.5 10 14.5 2.5 10 2.5 10zM4 16L16 4",
  zoomBar: "M3 6h14M6 12h8M4 12l2-2M4 12l2 2M16 12l-2-2M16 12l-2 2",
  left: "M12 5l-5 5 5 5",
  right: "M8 5l5 5-5 5",
  picture: "M3.5 4.5h13v11h-13zM3.5 13l4-4 4 4 2-2 3 3",
  copy: "M7 7h9v9H7zM4 13V4h9",
  file: "M5 2.5h6l4 4v11H5zM11 2.5v4h4",
  upload: "M10 13V4M6.5 7.5L10 4l3.5 3.5M4 13v3.5h12V13",
  clock: "M10 3.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13zM10 6v4l2.5 2",
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10.5h6.6L14 6",
  together: "M8 6.5a4 4 0 100 7 4 4 0 000-7zM12 6.5a4 4 0 110 7 4 4 0 010-7z",
  split: "M3.5 4.5h13v11h-13zM10 4.5v11",
  link: "M8.5 11.5l3-3M9 6.5l2-2a3 3 0 014.3 4.3l-2 2M11 13.5l-2 2a3 3 0 01-4.3-4.3l2-2",
  follow: "M10 3v3M10 14v3M3 10h3M14 10h3M10 6.5a3.5 3.5 0 100 7 3.5 3.5 0 000-7z",
  film: "M4 4h12v12H4zM7 4v12M13 4v12M4 8h3M4 12h3M13 8h3M13 12h3",
  scissors: "M5.5 7.5a2 2 0 100-4 2 2 0 000 4zM5.5 16.5a2 2 0 100-4 2 2 0 000 4zM7 6.5l9 8M7 13.5l9-8",
  heat: "M10 3c1 3 4 4.5 4 8a4 4 0 01-8 0c0-1.8 1-2.8 1.6-3.8.5 1 1.2 1.4 1.4 1.4C9 6.800 8.700 5 10 3z",
  trails: "M4 15.500c3-1 1.500-5.500 5-6.500s3-5 7-4.500",
  list: "M4 5.5h12M4 10h12M4 14.5h12",
} as const;

export type IconName = keyof typeof paths | keyof typeof lines;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {name in paths ? (
        <path d={paths[name as keyof typeof paths]} fill="currentColor" />
      ) : (
        <path
          d={lines[name as keyof typeof lines]}
          fill="none"
          stroke="currentColor"
          stroke-width="1.6"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      )}
    </svg>
  );
}

export function Logo() {
  return (
    <svg
      class="logo"
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect x="2" y="5" width="20" height="14" rx="3" stroke="currentColor" stroke-width="2" />
      <circle cx="8" cy="12" r="2" fill="currentColor" />
      <circle cx="16" cy="12" r="2" fill="currentColor" />
    </svg>
  );
}
