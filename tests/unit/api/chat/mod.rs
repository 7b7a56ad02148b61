mod view;
